"""Signing in and out: Django's views on this site's own pages. django-axes counts the failures."""

from django.contrib.auth.views import LoginView, LogoutView


class SignIn(LoginView):
    """Sends people who are signed in on their way."""

    template_name = "registration/login.html"
    redirect_authenticated_user = True


class SignOut(LogoutView):
    """Ends the session; POST only."""

    next_page = "login"
