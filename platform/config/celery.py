"""The Celery application of the site."""

import os

from celery import Celery
from celery.signals import beat_init, worker_init

from config.serving.orphans import end_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("quintet")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

worker_init.connect(end_with_parent)
beat_init.connect(end_with_parent)
