"""Pages of the account beside allauth's."""

from django.urls import path

from accounts import second_factor_views, views

app_name = "accounts"
urlpatterns = [
    path("preferences/", views.preferences, name="preferences"),
    path("second-factor/", second_factor_views.prove, name="second_factor"),
    path("second-factor/set-up/", second_factor_views.set_up, name="set_up_second_factor"),
    path("second-factor/codes/", second_factor_views.codes, name="recovery_codes"),
    path("preferences/set/", views.set_preference, name="set_preference"),
]
