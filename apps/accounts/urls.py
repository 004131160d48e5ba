"""Paths of signing in and out."""

from django.urls import path

from apps.accounts.views import SignIn, SignOut

urlpatterns = [
    path("accounts/login/", SignIn.as_view(), name="login"),
    path("accounts/logout/", SignOut.as_view(), name="logout"),
]
