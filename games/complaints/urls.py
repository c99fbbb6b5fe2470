"""The players' pages of complaints."""

from django.urls import path, register_converter
from django.urls.converters import IntConverter

from games.complaints import views


class KeyConverter(IntConverter):
    """The key of a row: never a number that no database has."""

    regex = "[0-9]{1,15}"


register_converter(KeyConverter, "key")

app_name = "complaints"
urlpatterns = [
    path("complaints/", views.mine, name="list"),
    path("complaints/new/", views.new, name="new"),
    path("complaints/read/", views.read_all, name="read_all"),
    path("complaints/<key:case_id>/", views.case, name="case"),
    path("complaints/<key:case_id>/read/", views.read, name="read"),
    path("complaints/<key:case_id>/appeal/", views.appeal, name="appeal"),
    path("complaints/<key:complaint_id>/withdraw/", views.withdraw, name="withdraw"),
    path("complaints/questions/<key:question_id>/answer/", views.answer, name="answer"),
]
