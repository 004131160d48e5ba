"""`{{ text|markdown }}`: Markdown as sanitised HTML."""

from django import template
from django.utils.safestring import SafeString, mark_safe

from apps.conversations.markdown import render_markdown

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    return mark_safe(render_markdown(text))  # noqa: S308 -- what leaves the renderer is sanitised
