"""Stopping a run: a mark in its row, and a bell for the process that executes it."""

import logging

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from redis import Redis
from redis.exceptions import RedisError

from agents.outcome import UNFINISHED, FinishReason, Outcome, RunStatus
from apps.conversations.models import Message
from apps.runs.ending import end_row
from apps.runs.home import get_home

logger = logging.getLogger(__name__)

STOP_CHANNEL = "quintet:stop"


def stop_run(message: Message) -> None:
    """Ask for the end of a run; safe to repeat. A queued one ends at once, a running one within a second.

    The mark alone suffices: whoever executes the run reads it with its next heartbeat.
    """
    task_id = str(message.task_id)
    queued = Q(status=RunStatus.QUEUED)
    stopped = Outcome(status=RunStatus.STOPPED, finish_reason=FinishReason.STOP)
    if end_row(message, stopped, guard=queued, last_seq=1, stop_requested_at=Now()):
        transaction.on_commit(lambda: get_home().wake_readers(task_id))
        return
    marked = Message.objects.filter(
        pk=message.pk, status__in=UNFINISHED, stop_requested_at=None
    ).update(stop_requested_at=Now())
    if marked:
        transaction.on_commit(lambda: _ring(task_id))


def _ring(task_id: str) -> None:
    """Tell this process and others; without Redis the others find the mark by themselves."""
    get_home().stop(task_id)
    if not settings.REDIS_URL:
        return
    try:
        with Redis.from_url(
            settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1
        ) as redis:
            redis.publish(STOP_CHANNEL, task_id)
    except RedisError as error:
        logger.warning("Stop of %s not announced in Redis: %s", task_id, error)
