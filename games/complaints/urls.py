"""The players' pages of complaints."""

from django.urls import path

from games.complaints import views

app_name = "complaints"
urlpatterns = [
    path("complaints/", views.mine, name="list"),
    path("complaints/new/", views.new, name="new"),
    path("complaints/read/", views.read_all, name="read_all"),
    path("complaints/<int:case_id>/", views.case, name="case"),
    path("complaints/<int:case_id>/read/", views.read, name="read"),
    path("complaints/<int:case_id>/appeal/", views.appeal, name="appeal"),
    path("complaints/<int:complaint_id>/withdraw/", views.withdraw, name="withdraw"),
    path("complaints/questions/<int:question_id>/answer/", views.answer, name="answer"),
]
