"""The lobby's pages."""

from django.urls import path

from lobby import people_views, views, wallet_views

app_name = "lobby"
urlpatterns = [
    path("", views.lobby, name="lobby"),
    path("resume/", views.resume, name="resume"),
    path("quick/", views.quick, name="quick"),
    path("waiting/", views.waiting, name="waiting"),
    path("waiting/cancel/", views.cancel, name="cancel"),
    path("tables/", views.tables, name="tables"),
    path("tables/<str:code>/sit/", views.sit, name="sit"),
    path("me/", people_views.my_profile, name="me"),
    path("people/<str:name>/", people_views.profile, name="profile"),
    path("deals/", people_views.deals, name="deals"),
    path("ranks/", people_views.ranks, name="ranks"),
    path("wallet/", wallet_views.statement, name="wallet"),
    path("wallet/relief/", wallet_views.get_relief, name="relief"),
    path("go/<path:reference>", wallet_views.go, name="go"),
]
