"""The rule pages."""

from django.urls import path

from rulebook import views

urlpatterns = [
    path("rules/", views.index, name="rules"),
    path("rules/<str:code>/", views.rules_of, name="rules_of"),
]
