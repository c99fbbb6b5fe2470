"""The lobby's pages."""

from django.urls import path

from lobby import views

app_name = "lobby"
urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("resume/", views.resume, name="resume"),
    path("quick/", views.quick, name="quick"),
    path("waiting/", views.waiting, name="waiting"),
    path("waiting/cancel/", views.cancel, name="cancel"),
    path("tables/", views.tables, name="tables"),
    path("tables/<str:code>/sit/", views.sit, name="sit"),
    path("wallet/", views.statement, name="wallet"),
    path("go/<path:reference>", views.go, name="go"),
]
