"""Coverage: which of the rights that someone wants to give away they do not have themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from konverge.cluster.apiserver.access.rule import ALL, PolicyRule, url_covers


def missing(held: Sequence[PolicyRule], given: Iterable[PolicyRule]) -> list[PolicyRule]:
    """Return the smallest parts of the given rules that no held rule covers."""
    return [part for rule in given for part in parts(rule) if not any(_covers(own, part) for own in held)]


def parts(rule: PolicyRule) -> Iterator[PolicyRule]:
    """Yield a rule in parts of one verb, one group, one resource and at most one name."""
    for group in rule.api_groups:
        for resource in rule.resources:
            for verb in rule.verbs:
                for name in rule.resource_names or ("",):
                    yield PolicyRule((verb,), (group,), (resource,), (name,) if name else ())
    for url in rule.non_resource_urls:
        for verb in rule.verbs:
            yield PolicyRule((verb,), non_resource_urls=(url,))


def _covers(own: PolicyRule, part: PolicyRule) -> bool:
    return (
        (ALL in own.verbs or part.verbs[0] in own.verbs)
        and (ALL in own.api_groups or set(part.api_groups) <= set(own.api_groups))
        and all(_covers_resource(own, resource) for resource in part.resources)
        and all(any(url_covers(pattern, url) for pattern in own.non_resource_urls) for url in part.non_resource_urls)
        and (not own.resource_names or bool(set(part.resource_names) & set(own.resource_names)))
    )


def _covers_resource(own: PolicyRule, resource: str) -> bool:
    if ALL in own.resources or resource in own.resources:
        return True
    _, slash, below = resource.partition("/")
    return bool(slash) and f"*/{below}" in own.resources


def described(rules: Iterable[PolicyRule]) -> str:
    """Return rules in lines, those that differ by their verb alone joined into one."""
    joined: dict[PolicyRule, PolicyRule] = {}
    for rule in rules:
        kind = PolicyRule((), rule.api_groups, rule.resources, rule.resource_names, rule.non_resource_urls)
        if rule.non_resource_urls:
            joined[rule] = rule
        elif kind in joined:
            joined[kind] = PolicyRule((*joined[kind].verbs, *rule.verbs), *_rest(rule))
        else:
            joined[kind] = rule
    return "\n".join(sorted({str(rule) for rule in joined.values()}))


def _rest(rule: PolicyRule) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return rule.api_groups, rule.resources, rule.resource_names
