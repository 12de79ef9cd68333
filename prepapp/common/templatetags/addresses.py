"""`{% url %}` as Django has it, with addresses remembered: a page has up to thirty, most of them the same on
every page or several times on one, and each costs as much as a small template to put together."""

from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import URLNode
from django.template.defaulttags import url as django_url
from django.urls import get_script_prefix, get_urlconf, reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

register = template.Library()


class AddressNode(URLNode):
    """The tag with plain arguments. With others, or under a name, it is Django's own."""

    def render(self, context: Context) -> str:
        if not context.autoescape:
            return super().render(context)
        request = getattr(context, "request", None)
        match = getattr(request, "resolver_match", None)
        around = (
            getattr(request, "current_app", getattr(match, "namespace", None)),
            get_script_prefix(),
            get_urlconf() or settings.ROOT_URLCONF,
        )
        arguments = [argument.resolve(context) for argument in self.args]
        return _address(self.view_name.resolve(context), around, *arguments)


# Typed, since 1 and True are equal and make different addresses.
@lru_cache(maxsize=4096, typed=True)
def _address(name: str, around: tuple[str | None, str, str], *arguments: Any) -> SafeString:
    return conditional_escape(reverse(name, args=arguments, current_app=around[0]))


@register.tag
def url(parser: Parser, token: Token) -> URLNode:
    node = django_url(parser, token)
    if node.kwargs or node.asvar:
        return node
    return AddressNode(node.view_name, node.args, node.kwargs, node.asvar)
