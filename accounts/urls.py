"""Pages of the account beside allauth's."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("preferences/", views.preferences, name="preferences"),
    path("preferences/set/", views.set_preference, name="set_preference"),
]
