"""Words that the page's script shows, in the reader's language."""

from django.utils.translation import gettext as _


def page_texts() -> dict[str, str]:
    """By the name that `static/chat/` asks for; `%s` is filled in there."""
    return {
        "sending": _("Sending…"),
        "waiting": _("Waiting for the answer before…"),
        "thinking": _("Thinking…"),
        "reasoning": _("Reasoning…"),
        "remembering": _("Remembering…"),
        "writing": _("Writing…"),
        "using": _("Using %s…"),
        "stopping": _("Stopping…"),
        "copied": _("Copied"),
        "copy": _("Copy"),
        "copy_code": _("Copy code"),
        "answered": _("Answer: %s"),
        "reconnecting": _("The connection was lost. Trying again…"),
        "offline": _("Not connected. Your question is sent as soon as the connection is back."),
        "slow_down": _("Too many questions in a short time. Wait a moment, then go on."),
        "forbidden": _("You may not chat here. Ask an operator of this site."),
        "too_long": _("The question is too long to be sent. Shorten it."),
        "thread_more": _("Rename or delete “%s”"),
        "failed": _("That did not work. Load the page again."),
    }
