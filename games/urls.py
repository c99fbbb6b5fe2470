"""Pages of the games app."""

from django.urls import path

from games import views

app_name = "games"

urlpatterns = [
    path("tables/<str:code>/", views.table, name="table"),
    path("words/<str:language>.js", views.words, name="words"),
]
