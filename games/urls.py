"""Pages of the games app."""

from django.urls import path

from games import deal_views, views

app_name = "games"

urlpatterns = [
    path("tables/<str:code>/", views.table, name="table"),
    path("deals/<slug:deal_id>/", deal_views.deal, name="deal"),
    path("deals/<slug:deal_id>/record.json", deal_views.record, name="record"),
    path("words/<str:language>.js", views.words, name="words"),
]
