"""Rule L13: the code check of a question accepts its solution and rejects its wrong answers.

Here: what to run and what the outcome means. Not here: how a check is run (`bank.check_runner`).
"""

import ast
from collections.abc import Iterator

from prepapp.bank.check_runner import CheckRun, Outcome, run_check
from prepapp.bank.lint.finding import Finding, fail, warn
from prepapp.bank.transfer.question_file import CodeFile, QuestionFile

# Sources of chance or of the present moment that no seed can fix.
UNSEEDABLE = frozenset({"SystemRandom", "urandom", "token_bytes", "token_hex", "randbits", "uuid1", "uuid4"})
SEEDED_BY_ARGUMENT = frozenset({"Random", "seed"})
RANDOM_FUNCTIONS = frozenset(
    """betavariate choice choices expovariate gammavariate gauss getrandbits lognormvariate normalvariate
    paretovariate randbytes randint random randrange sample shuffle triangular uniform vonmisesvariate
    weibullvariate""".split()
)
# Errors that show the wrong answer fell over before it could be wrong.
NEVER_RAN = ("ImportError", "ModuleNotFoundError", "IndentationError", "SyntaxError")


def lint_code(question: QuestionFile) -> list[Finding]:
    """Findings of L13; runs the check once for the solution and once for each wrong answer."""
    code = question.code
    if code is None:
        return []
    findings = list(_check_statics(question, code))
    if not any(finding.severity == "F" for finding in findings):
        findings.extend(_check_runs(question, code))
    return sorted(findings)


def _check_statics(question: QuestionFile, code: CodeFile) -> Iterator[Finding]:
    if len(code.wrong) < 2:
        yield fail(question, "L13", "code.wrong", f"has {len(code.wrong)} answers; write at least 2")
    for index, text in enumerate(code.wrong):
        if text.strip() == code.solution.strip():
            yield fail(
                question, "L13", f"code.wrong[{index}]", "equals the solution; write a plausible mistake"
            )
        if text.strip() in {other.strip() for other in code.wrong[:index]}:
            yield fail(question, "L13", f"code.wrong[{index}]", "appears twice; write another mistake")
    sources = {"code.check": code.check}
    if code.language == "python":
        sources["code.solution"] = code.solution
        sources.update((f"code.wrong[{index}]", text) for index, text in enumerate(code.wrong))
    for field, source in sources.items():
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError) as error:
            yield fail(question, "L13", field, f"is not valid Python ({error}); correct it")
        else:
            if field == "code.check":
                yield from _check_seed(question, tree)


def _check_seed(question: QuestionFile, tree: ast.Module) -> Iterator[Finding]:
    seeded = False
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        name, owner = _called(call)
        if name in SEEDED_BY_ARGUMENT and call.args:
            seeded = True
        elif name in SEEDED_BY_ARGUMENT:
            yield fail(question, "L13", "code.check", f"{name}() has no seed; pass a fixed number")
        elif name in UNSEEDABLE:
            yield fail(
                question,
                "L13",
                "code.check",
                f"{name}() differs in every run; use random.Random with a number",
            )
        elif owner == "random" and name in RANDOM_FUNCTIONS and not seeded:
            message = f"random.{name}() runs unseeded; use random.Random with a number"
            yield fail(question, "L13", "code.check", message)


def _called(call: ast.Call) -> tuple[str, str]:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr, function.value.id if isinstance(function.value, ast.Name) else ""
    return (function.id, "") if isinstance(function, ast.Name) else ("", "")


def _check_runs(question: QuestionFile, code: CodeFile) -> Iterator[Finding]:
    run = _run(code, code.solution)
    if run.outcome is Outcome.TIMED_OUT:
        message = f"does not finish its check within {code.timeout_s} s; make it faster or raise timeout_s"
        yield fail(question, "L13", "code.solution", message)
        return
    if not run.passed:
        message = f"fails its own check ({run.last_line or 'no output'}); correct one of the two"
        yield fail(question, "L13", "code.solution", message)
        return
    for index, text in enumerate(code.wrong):
        run = _run(code, text)
        field = f"code.wrong[{index}]"
        if run.passed:
            yield fail(question, "L13", field, "is accepted by the check; make the check stricter")
        elif run.last_line.startswith(NEVER_RAN):
            message = f"is rejected before it runs ({run.last_line}); write a mistake that runs"
            yield warn(question, "L13", field, message)


def _run(code: CodeFile, answer: str) -> CheckRun:
    return run_check(answer, code.check, language=code.language, timeout_s=code.timeout_s)
