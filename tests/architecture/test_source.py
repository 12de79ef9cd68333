"""House rules that a reader of one file cannot see broken, by the syntax tree of every module of ours.

Not here: templates (`test_templates`), who imports whom (import-linter), style (ruff).
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prepapp import settings as project
from prepapp.celery import app

pytestmark = pytest.mark.embedded

ROOT = Path(__file__).resolve().parents[2]
OURS = ROOT / "prepapp"
# Modules at the edge: they may read the clock, once, and hand it down.
XML_THAT_READS_NOTHING = ("Element", "SubElement", "ParseError", "indent", "tostring")
EDGE = re.compile(r"/(views(/\w+)?|tasks|admin(/\w+)?|adapter|management/commands/\w+)\.py$")
CLOCK = "common/clock.py"

Rule = Callable[[str, ast.Module], Iterator[str]]


def modules() -> dict[str, ast.Module]:
    """Every module of ours by its path below `prepapp/`; migrations are the framework's to write."""
    return {
        path.relative_to(OURS).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(OURS.rglob("*.py"))
        if "migrations" not in path.parts
    }


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Each call with its dotted name, as far as it is one: `Attempt.objects.for_user().get` is `….get`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield dotted(node.func), node


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    if isinstance(node, ast.Call):
        return f"{dotted(node.func)}()"
    return "…"


def names(tree: ast.AST) -> Iterator[str]:
    """Everything imported, with the module it comes from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def literal(call: ast.Call, number: int) -> bool:
    """Whether that argument is text written in the code."""
    value = call.args[number] if len(call.args) > number else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_written(node: ast.expr, constants: set[str]) -> bool:
    """Whether a text stands in the code: a literal, a constant of the module, or some of these in a row."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return is_written(node.left, constants) and is_written(node.right, constants)
    if isinstance(node, ast.IfExp):
        return is_written(node.body, constants) and is_written(node.orelse, constants)
    if isinstance(node, ast.Name):
        return node.id in constants
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


# --- the rules ------------------------------------------------------------------------------------


def rows_are_found_in_access(path: str, tree: ast.Module) -> Iterator[str]:
    """An id of an address becomes a row in `access`, which asks whose it is."""
    if not re.search(r"/(views(/\w+)?|decorators|middleware|context)\.py$", path):
        return
    # Dictionaries, query strings and headers have a `get` too; rows come from managers.
    finds = re.compile(
        r"\bget_(object|list)_or_404$"
        r"|(objects|_manager)\b.*\.(get|get_or_create|in_bulk|first|last|earliest|latest)$"
    )
    yield from (name for name, _ in calls(tree) if finds.search(name))


def views_do_not_query(path: str, tree: ast.Module) -> Iterator[str]:
    """A view that filters or saves has taken over somebody else's work."""
    if not re.search(r"/views(/\w+)?\.py$", path):
        return
    works = re.compile(
        r"\.(filter|exclude|save|create|bulk_create|update_or_create)$|\bobjects\.\w+$|\batomic$"
    )
    # A list of everything that is offered is no search.
    yield from (name for name, _ in calls(tree) if works.search(name) and name != "Track.objects.all")


def the_clock_is_read_at_the_edge(path: str, tree: ast.Module) -> Iterator[str]:
    if path == CLOCK:
        return
    for name, call in calls(tree):
        last = name.rpartition(".")[2]
        if last in {"now", "utcnow", "today"} or (last in {"localtime", "localdate"} and not call.args):
            yield name
        if name == "read_clock" and not EDGE.search(path):
            yield name
        if name in {"time.time", "time.time_ns"}:
            yield name


def a_view_reads_the_clock_once(path: str, tree: ast.Module) -> Iterator[str]:
    """One request has one now. A part of a view that read it again could judge by another."""
    if not re.search(r"/views(/\w+)?\.py$", path):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            times = sum(name == "read_clock" for name, _ in calls(node))
            if times > (0 if node.name.startswith("_") else 1):
                yield node.name


def nothing_runs_text(path: str, tree: ast.Module) -> Iterator[str]:
    """No code, shell or objects made from text; no markup that skips the sanitiser."""
    for name, call in calls(tree):
        last = name.rpartition(".")[2]
        options = {keyword.arg: getattr(keyword.value, "value", None) for keyword in call.keywords}
        if name in {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "input"}:
            yield name
        # What is marked safe, or filled in, is written here as a literal.
        if last in {"mark_safe", "SafeString"} and not literal(call, 0):
            yield name
        if (last == "format_html" and not literal(call, 0)) or (
            last == "format_html_join" and not (literal(call, 0) and literal(call, 1))
        ):
            yield name
        if last == "YAML" and options.get("typ") != "safe":
            yield name
        if options.get("shell") or options.get("autoescape", True) is False:
            yield f"{name} by keyword"
    banned = {"pickle", "marshal", "shelve", "dill", "xml", "lxml", "yaml"}
    # Building a tree and naming its parts parses nothing; reading one is left to defusedxml.
    harmless = {f"xml.etree.ElementTree.{part}" for part in XML_THAT_READS_NOTHING}
    yield from (
        f"import {name}" for name in names(tree) if name.partition(".")[0] in banned and name not in harmless
    )


def sql_is_not_built(path: str, tree: ast.Module) -> Iterator[str]:
    """A statement is made of literals, its values are parameters."""
    constants = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and is_written(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for name, call in calls(tree):
        last = name.rpartition(".")[2]
        if last in {"raw", "extra", "RawSQL"}:
            yield name
        if last in {"execute", "executemany"} and not (call.args and is_written(call.args[0], constants)):
            yield name


def actions_send_no_tasks(path: str, tree: ast.Module) -> Iterator[str]:
    """The edge that called them does, and after the commit."""
    for name, _ in calls(tree):
        last = name.rpartition(".")[2]
        if last in {"delay", "apply_async", "send_task"} or (
            last in {"delay_on_commit", "on_commit"} and re.search(r"/(actions|queries|models)\b", path)
        ):
            yield name


def every_module_says_what_it_is(path: str, tree: ast.Module) -> Iterator[str]:
    if tree.body and not ast.get_docstring(tree):
        yield "no docstring"


RULES: tuple[Rule, ...] = (
    rows_are_found_in_access,
    views_do_not_query,
    the_clock_is_read_at_the_edge,
    a_view_reads_the_clock_once,
    nothing_runs_text,
    sql_is_not_built,
    actions_send_no_tasks,
    every_module_says_what_it_is,
)
# What breaks a rule and may, and why.
ALLOWED: dict[tuple[str, str, str], str] = {
    (
        "actions_send_no_tasks",
        "reports/tasks.py",
        "task.apply_async",
    ): "a task that hands out work, after the commit of what it hands out",
    (
        "actions_send_no_tasks",
        "bank/tasks.py",
        "work_on_import.apply_async",
    ): "asked by views and the sweep after the commit; a broker that is gone must not fail them",
    (
        "the_clock_is_read_at_the_edge",
        "common/processes.py",
        "runner._clock.now",
    ): "the patience of a process with its children",
    (
        "the_clock_is_read_at_the_edge",
        "common/ids.py",
        "time.time_ns",
    ): "an identifier says when it was made",
    (
        "the_clock_is_read_at_the_edge",
        "broker.py",
        "time.time_ns",
    ): "the name of a message, for the order of its queue",
    (
        "the_clock_is_read_at_the_edge",
        "accounts/sessions.py",
        "read_clock",
    ): "whether a session has ended is asked below every view",
    (
        "sql_is_not_built",
        "common/statements.py",
        "cursor.execute",
    ): "made by a QuerySet; its values are parameters",
    (
        "sql_is_not_built",
        "interviews/gradebook/reads.py",
        "cursor.execute",
    ): "made of constants of the module and the database's own word for a regular expression",
    (
        "sql_is_not_built",
        "bank/transfer/readers/foreign_database.py",
        "connection.execute",
    ): "a stranger's database in memory, read-only; the names are constants of the readers of decks",
}


def found(rule: Rule) -> set[tuple[str, str, str]]:
    return {(rule.__name__, path, what) for path, tree in modules().items() for what in rule(path, tree)}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_module_breaks_a_rule(rule: Rule) -> None:
    assert len(modules()) > 60
    assert found(rule) == {entry for entry in ALLOWED if entry[0] == rule.__name__}


@pytest.mark.parametrize(
    ("rule", "path", "code", "what"),
    [
        (rows_are_found_in_access, "a/views.py", "Attempt.objects.get(pk=1)", "Attempt.objects.get"),
        (rows_are_found_in_access, "a/views/b.py", "get_object_or_404(A, pk=1)", "get_object_or_404"),
        (rows_are_found_in_access, "a/views.py", "A.objects.mine(x).get()", "A.objects.mine().get"),
        (views_do_not_query, "a/views.py", "A.objects.filter(x=1)", "A.objects.filter"),
        (views_do_not_query, "a/views/b.py", "attempt.save()", "attempt.save"),
        (views_do_not_query, "a/views/b.py", "transaction.atomic()", "transaction.atomic"),
        (the_clock_is_read_at_the_edge, "a/actions.py", "timezone.now()", "timezone.now"),
        (the_clock_is_read_at_the_edge, "a/actions/b.py", "read_clock()", "read_clock"),
        (the_clock_is_read_at_the_edge, "a/views.py", "datetime.now(UTC)", "datetime.now"),
        (the_clock_is_read_at_the_edge, "a/forms.py", "date.today()", "date.today"),
        (the_clock_is_read_at_the_edge, "a/rules.py", "time.time()", "time.time"),
        (a_view_reads_the_clock_once, "a/views.py", "def a(): read_clock(), read_clock()", "a"),
        (a_view_reads_the_clock_once, "a/views/b.py", "def _page(): read_clock()", "_page"),
        (nothing_runs_text, "a.py", "eval(x)", "eval"),
        (nothing_runs_text, "a.py", "subprocess.run(x, shell=True)", "subprocess.run by keyword"),
        (nothing_runs_text, "a.py", "import pickle", "import pickle"),
        (nothing_runs_text, "a.py", "mark_safe(x)", "mark_safe"),
        (nothing_runs_text, "a.py", "format_html(x)", "format_html"),
        (nothing_runs_text, "a.py", "format_html_join('', f'{x}', y)", "format_html_join"),
        (nothing_runs_text, "a.py", "import yaml", "import yaml"),
        (
            nothing_runs_text,
            "a.py",
            "from xml.etree.ElementTree import fromstring",
            "import xml.etree.ElementTree.fromstring",
        ),
        (nothing_runs_text, "a.py", "YAML(typ='unsafe')", "YAML"),
        (nothing_runs_text, "a.py", "YAML()", "YAML"),
        (sql_is_not_built, "a.py", "cursor.execute(f'SELECT {x}')", "cursor.execute"),
        (sql_is_not_built, "a.py", "cursor.execute('SELECT ' + x)", "cursor.execute"),
        (sql_is_not_built, "a.py", "cursor.execute(_PART + x)", "cursor.execute"),
        (sql_is_not_built, "a.py", "_PART = f'{x}'\ncursor.execute(_PART)", "cursor.execute"),
        (sql_is_not_built, "a.py", "A.objects.raw('SELECT 1')", "A.objects.raw"),
        (actions_send_no_tasks, "a/actions.py", "send.delay(x)", "send.delay"),
        (actions_send_no_tasks, "a/actions/b.py", "send.delay_on_commit(x)", "send.delay_on_commit"),
        (every_module_says_what_it_is, "a.py", "x = 1", "no docstring"),
    ],
)
def test_each_rule_finds_its_case(rule: Rule, path: str, code: str, what: str) -> None:
    assert list(rule(path, ast.parse(code))) == [what]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a/views.py", '"""Pages."""\nrequest.GET.get("x"); get_attempt(user, pk); now = read_clock()'),
        ("a/actions.py", '"""Actions."""\nAttempt.objects.select_for_update().get(pk=1); attempt.save()'),
        ("a/tasks.py", '"""Tasks."""\nclose(now=read_clock())'),
        ("a/views.py", '"""Pages."""\nname = localtime(now)'),
        ("a.py", '"""HTML."""\nmark_safe(" selected"); format_html("<b>{}</b>", x)'),
        ("a.py", '"""SQL."""\ncursor.execute("SELECT 1"); YAML(typ="safe", pure=True).load(x)'),
        ("a.py", '"""SQL."""\n_A = "SELECT"\n_B = " 1"\ncursor.execute(_A + (_B if x else " 2"), [y])'),
        ("a/__init__.py", ""),
    ],
)
def test_what_is_meant_passes(path: str, code: str) -> None:
    assert [what for rule in RULES for what in rule(path, ast.parse(code))] == []


# --- beside the tree ------------------------------------------------------------------------------


def test_every_migration_says_what_it_does() -> None:
    files = [path.stem for path in OURS.glob("*/migrations/[0-9]*.py")]
    assert len(files) >= 3
    assert [name for name in files if not re.fullmatch(r"\d{4}_[a-z][a-z0-9_]{3,}", name)] == []
    assert [name for name in files if re.search(r"_auto_|_auto$|_fix\d*$|_\d{8}", name)] == []


def test_every_task_has_a_queue_and_a_beat_that_knows_it() -> None:
    """A task without a queue of its own goes to the one that workers read by default."""
    app.loader.import_default_modules()
    ours = {name for name in app.tasks if name.startswith("prepapp.")}
    queues = {name: app.amqp.router.route({}, name)["queue"].name for name in ours}
    by_the_clock = {
        "prepapp.accounts.tasks.delete_stale_guests": "interviews",
        "prepapp.interviews.tasks.close_overdue_attempts": "interviews",
        "prepapp.reports.tasks.reckon_track_rates": "interviews",
        "prepapp.reports.tasks.plan_weekly_reports": "reports",
        "prepapp.reports.tasks.sweep_report_mails": "reports",
        "prepapp.reports.tasks.count_item_statistics": "reports",
        "prepapp.bank.tasks.sweep_imports": "reports",
    }
    assert queues == by_the_clock | {
        "prepapp.bank.tasks.work_on_import": "reports",
        "prepapp.reports.tasks.make_weekly_reports": "reports",
        "prepapp.reports.tasks.send_report_mail": "mail",
        "prepapp.reports.tasks.send_report_copy": "mail",
    }
    scheduled = {entry["task"]: entry["options"]["queue"] for entry in project.CELERY_BEAT_SCHEDULE.values()}
    assert scheduled == by_the_clock


def test_every_queue_has_a_worker_wherever_the_site_runs() -> None:
    queues = {"interviews", "reports", "mail"}
    [embedded] = re.findall(
        r'"--queues", "([a-z,]+)"', (OURS / "common/management/commands/up.py").read_text()
    )
    assert set(embedded.split(",")) == queues
    composed = re.findall(r"--queues=([a-z,]+)", (ROOT / "docker-compose.yml").read_text())
    assert sorted(queue for names in composed for queue in names.split(",")) == sorted(queues)


def test_tasks_carry_words_that_any_process_can_read() -> None:
    assert (app.conf.task_serializer, app.conf.accept_content) == ("json", ["json"])
