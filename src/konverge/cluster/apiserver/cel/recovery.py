"""Reading on after an error: the tokens of a broken text, walked over as ANTLR's parser does.

It reports the first error, and goes on by leaving out a token, by supposing one, or by skipping to one that can follow;
so it finds the further errors that cel-go reports, and a tree with holes. The texts are ANTLR's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from konverge.cluster.apiserver.cel import decision
from konverge.cluster.apiserver.cel.grammar import (
    RECURSIVE,
    RULES,
    Alt,
    Element,
    Loop,
    Next,
    Opt,
    Seq,
    Tok,
    Use,
    shown_kinds,
)
from konverge.cluster.apiserver.cel.lexer import EOF, Token
from konverge.cluster.apiserver.cel.source import NOWHERE, Issue

_DEEPEST: Final = 250
_MOST_ATTEMPTS: Final = 30
_MOST_SKIPPED: Final = 256
_MOST_REPORTS: Final = 100
_KEYWORD_AS_FIELD: Final = re.compile("no viable alternative at input '.(true|false|null)'")


@dataclass(slots=True)
class Context:
    """A rule as far as it was read: `label` is the alternative, `parts` what was read, by name."""

    rule: str
    offset: int
    label: str = ""
    parts: dict[str, list[Token | Context]] = field(default_factory=dict)

    def put(self, name: str, part: Token | Context) -> None:
        """Keep a part."""
        if name:
            self.parts.setdefault(name, []).append(part)


class Stopped(Exception):
    """The text is too broken, or nested too deep, to read on."""


class _Fault(Exception):
    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message)
        self.token = token


class Recovery:
    """Reads all tokens; `issues` has what was reported."""

    def __init__(self, tokens: list[Token]) -> None:
        self.issues: list[Issue] = []
        self._tokens = tokens
        self._at = 0
        self._uses: list[Use] = []  # where the rules that are being read were used
        self._depths: dict[str, int] = {}
        self._state: object = None
        self._is_recovering = False
        self._last_at = -1
        self._last_states: list[object] = []
        self._attempts = 0
        self._precedence = [0]

    def read(self) -> Context:
        """Return the tree, as far as there is one; raise `Stopped`."""
        return self._rule("start", 0)

    # Rules and their elements

    def _rule(self, name: str, precedence: int) -> Context:
        self._enter(name)
        self._precedence.append(precedence)
        context = Context(name, self._token().offset)
        try:
            context = self._recursive(context) if name in RECURSIVE else self._whole(RULES[name], context)
        except _Broken as broken:
            context = broken.context
            self._report(broken.fault)
            self._recover()
        self._precedence.pop()
        self._depths[name] -= 1
        return context

    def _enter(self, name: str) -> None:
        self._depths[name] = self._depths.get(name, 0) + 1
        if self._depths[name] > _DEEPEST:
            self.issues.append(Issue(NOWHERE, f"expression recursion limit exceeded: {_DEEPEST}"))
            raise Stopped

    def _whole(self, element: Element, context: Context) -> Context:
        try:
            self._run(element, context)
        except _Fault as fault:
            raise _Broken(context, fault) from fault
        return context

    def _recursive(self, context: Context) -> Context:
        """Read a rule that begins with itself: each round wraps what was read so far."""
        rule = RULES[context.rule]
        assert isinstance(rule, Seq)  # noqa: S101 - the grammar writes them so
        first, loop = rule.parts
        assert isinstance(loop, Loop)  # noqa: S101 - the grammar writes them so
        self._whole(first, context)
        state: object = loop
        while self._whole_sync(state, loop, context):
            context = self._round(loop, context)
            state = loop.again
        return context

    def _round(self, loop: Loop, context: Context) -> Context:
        wrapped = Context(context.rule, context.offset)
        wrapped.put("left", context)
        try:
            return self._whole(loop.part, wrapped)
        except _Broken as broken:
            if isinstance(loop.part, Alt) and not wrapped.label:
                broken.context = context  # nothing was chosen to wrap it with
            raise

    def _whole_sync(self, state: object, loop: Loop, context: Context) -> bool:
        try:
            return self._goes_on(state, loop)
        except _Fault as fault:
            raise _Broken(context, fault) from fault

    def _run(self, element: Element, context: Context) -> None:
        match element:
            case Tok():
                self._state = element
                context.put(element.name, self._match(element))
            case Use():
                self._use(element, context)
            case Seq():
                for part in element.parts:
                    self._run(part, context)
            case Alt():
                self._alternative(element, context)
            case Opt():
                self._sync(element, element.expected, is_loop_back=False)
                if self._token().kind in element.part.begin.kinds:
                    self._run(element.part, context)
            case Loop():
                self._loop(element, context)

    def _use(self, use: Use, context: Context) -> None:
        self._state = use
        self._uses.append(use)
        part = self._rule(use.rule, use.precedence)
        self._uses.pop()
        self._state = use
        context.put(use.name, part)

    def _alternative(self, alt: Alt, context: Context) -> None:
        self._sync(alt, alt.begin, is_loop_back=False)
        index = self._chosen(alt)
        context.label = alt.labels[index]
        self._run(alt.parts[index], context)

    def _chosen(self, alt: Alt) -> int:
        chosen = decision.alternative(alt, self._kind)
        if isinstance(chosen, decision.Unviable):
            raise self._no_way(chosen.ahead)
        return chosen.index

    def _no_way(self, ahead: int) -> _Fault:
        tokens = [self._token(each) for each in range(ahead + 1)]
        text = tokens[0].text
        for token in tokens[1:]:
            text += token.before if token.kind == EOF else token.before + token.text
        return _Fault(f"no viable alternative at input {_quoted(text)}", tokens[-1])

    def _loop(self, loop: Loop, context: Context) -> None:
        if loop.at_least_once:
            self._sync(loop, loop.begin, is_loop_back=False)
            self._run(loop.part, context)
        state: object = loop.again if loop.at_least_once else loop
        while self._goes_on(state, loop):
            self._run(loop.part, context)
            state = loop.again

    def _goes_on(self, state: object, loop: Loop) -> bool:
        self._sync(state, loop.again, is_loop_back=state is loop.again)
        goes_on = decision.goes_on(loop, self._kind, self._precedence[-1])
        if isinstance(goes_on, decision.Unviable):
            raise self._no_way(goes_on.ahead)
        return goes_on

    # Tokens

    def _token(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _kind(self, ahead: int) -> str:
        return self._token(ahead).kind

    def _consume(self) -> Token:
        token = self._token()
        if token.kind != EOF:
            self._at += 1
        return token

    def _match(self, element: Tok) -> Token:
        if self._token().kind in element.kinds:
            self._end_error()
            return self._consume()
        return self._recover_inline(element)

    def _expected(self, here: Next) -> frozenset[str]:
        """Return what can come next, also after the rules that are being read."""
        kinds = here.kinds
        for use in reversed(self._uses):
            if not here.can_end:
                return kinds
            here = use.after
            kinds |= here.kinds
        return kinds | {EOF} if here.can_end else kinds

    # ANTLR's error strategy

    def _end_error(self) -> None:
        self._is_recovering = False
        self._last_states = []
        self._last_at = -1

    def _sync(self, state: object, here: Next, *, is_loop_back: bool) -> None:
        """Look whether the next token fits a decision, and make room if not."""
        self._state = state
        if self._is_recovering or here.can_end or self._token().kind in here.kinds:
            return
        if is_loop_back:
            self._unwanted(here)
            self._skip_to(self._expected(here) | self._recovery_kinds())
        elif not self._delete_one(here):
            raise self._mismatch(here)

    def _mismatch(self, here: Next) -> _Fault:
        token = self._token()
        expecting = shown_kinds(self._expected(here))
        return _Fault(f"mismatched input {_quoted(token.text)} expecting {expecting}", token)

    def _delete_one(self, here: Next) -> bool:
        if self._token(1).kind not in self._expected(here):
            return False
        self._unwanted(here)
        self._consume()
        self._end_error()
        return True

    def _unwanted(self, here: Next) -> None:
        if not self._is_recovering:
            self._is_recovering = True
            token = self._token()
            expecting = shown_kinds(self._expected(here))
            self._notify(f"extraneous input {_quoted(token.text)} expecting {expecting}", token)

    def _recover_inline(self, element: Tok) -> Token:
        self._attempt()
        here = element.expected
        if self._delete_one(here):
            return self._consume()
        token = self._token()
        if token.kind in self._expected(element.after):
            if not self._is_recovering:
                self._is_recovering = True
                self._notify(f"missing {shown_kinds(self._expected(here))} at {_quoted(token.text)}", token)
            return Token(min(element.kinds), "<missing>", token.offset)
        raise self._mismatch(here)

    def _report(self, fault: _Fault) -> None:
        if not self._is_recovering:
            self._is_recovering = True
            self._notify(str(fault), fault.token)

    def _recover(self) -> None:
        self._attempt()
        if self._last_at == self._at and any(state is self._state for state in self._last_states):
            self._consume()
        self._last_at = self._at
        self._last_states.append(self._state)
        self._skip_to(self._recovery_kinds())

    def _attempt(self) -> None:
        if self._attempts == _MOST_ATTEMPTS:
            self._notify(f"error recovery attempt limit exceeded: {_MOST_ATTEMPTS}", self._token())
            raise Stopped
        self._attempts += 1

    def _recovery_kinds(self) -> frozenset[str]:
        return frozenset().union(*(use.after.kinds for use in self._uses))

    def _skip_to(self, kinds: frozenset[str]) -> None:
        skipped = 0
        while self._token().kind != EOF and self._token().kind not in kinds:
            if skipped == _MOST_SKIPPED:
                message = f"error recovery token lookahead limit exceeded: {_MOST_SKIPPED}"
                self.issues.append(Issue(NOWHERE, message))
                raise Stopped
            skipped += 1
            self._consume()

    def _notify(self, message: str, token: Token) -> None:
        message = _KEYWORD_AS_FIELD.sub(r"mismatched input '\1' expecting IDENTIFIER", message)
        if len(self.issues) >= _MOST_REPORTS:
            self.issues.append(Issue(token.offset, f"Syntax error: More than {_MOST_REPORTS} syntax errors"))
            raise Stopped
        self.issues.append(Issue(token.offset, f"Syntax error: {message}"))


class _Broken(Exception):
    """A rule that a fault ended, with what of it was read."""

    def __init__(self, context: Context, fault: _Fault) -> None:
        super().__init__(str(fault))
        self.context = context
        self.fault = fault


def _quoted(text: str) -> str:
    escaped = text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"
