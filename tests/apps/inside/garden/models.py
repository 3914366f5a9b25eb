# mypy: ignore-errors
"""The pages and snippets of the garden."""

from django.db import models
from wagtail.admin.panels import FieldPanel
from wagtail.fields import RichTextField
from wagtail.models import Page
from wagtail.snippets.models import register_snippet


class StandardPage(Page):
    template = "garden/page.html"
    intro = models.CharField(max_length=250, blank=True)
    body = RichTextField(blank=True)
    content_panels = [*Page.content_panels, FieldPanel("intro"), FieldPanel("body")]


class EventPage(Page):
    template = "garden/page.html"
    date = models.DateField()
    place = models.CharField(max_length=120, blank=True)
    price = models.DecimalField(max_digits=6, decimal_places=2, default=0)
    content_panels = [
        *Page.content_panels,
        FieldPanel("date"),
        FieldPanel("place"),
        FieldPanel("price"),
    ]


@register_snippet
class Plant(models.Model):
    name = models.CharField(max_length=120)
    family = models.CharField(max_length=120, blank=True)
    height = models.IntegerField("height in cm", null=True, blank=True)
    is_rare = models.BooleanField("rare", default=False)
    panels = [
        FieldPanel("name"),
        FieldPanel("family"),
        FieldPanel("height"),
        FieldPanel("is_rare"),
    ]

    def __str__(self):
        return self.name

    class Meta:
        ordering = ["name"]


@register_snippet
class Gardener(models.Model):
    name = models.CharField(max_length=120)
    duty = models.CharField(max_length=120, blank=True)
    panels = [FieldPanel("name"), FieldPanel("duty")]

    def __str__(self):
        return self.name

    class Meta:
        ordering = ["name"]
