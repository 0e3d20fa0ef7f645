import re

import pytest

from storage.ingest.formats import markdown


def text_of(source):
    return markdown.extract(source.encode()).text.strip()


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("## Rates {#rates}", "## Rates"),
        ("## Rates { #rates }", "## Rates"),
        ("## Rates {#rates .wide key=\"a b\"}", "## Rates"),
        ("A paragraph.\n{: .note #first }", "A paragraph."),
        ("![Plan](p.png){: style=\"height:5px\"}", "![Plan](p.png)"),
        ("{% include nav.html %}\n\nText {{ site.name }} here.", "Text  here."),
        ("{{< figure src=\"a.png\" >}}\n\nText.", "Text."),
        ("{{% alert title=\"The gap\" color=\"info\" %}}\nStand back.\n{{% /alert %}}", "**The gap**\n\nStand back."),
        ("{% raw %}kept{% endraw %}", "kept"),
        ("{% highlight ruby %}\nputs {{ 1 }}\n{% endhighlight %}", "```ruby\nputs {{ 1 }}\n```"),
        ("One <!-- a note\n\nover lines --> two.", "One  two."),
        ("## Head {/*head*/}", "## Head"),
        ("{/* a\n\n```js\ncode\n```\n*/}\n\nText.", "Text."),
        ("import Box from './box'\nimport {\n  A,\n} from 'b';\n\nexport const x = {\n  a: 1,\n}\n\nText.", "Text."),
        ("<Intro>\n\nHello.\n\n</Intro>", "Hello."),
        ("<Note>\nHello <Step n={1}>there</Step>.\n</Note>", "Hello there."),
        ("<Chart data={[{a: 1}]} onClick={() => go()} />\n\nText.", "Text."),
        ("<Tab title=\"On a Mac\">\n\nOpen it.\n\n</Tab>", "**On a Mac**\n\nOpen it."),
        ("<details><summary>More</summary>\n\nWords.\n\n</details>", "More\n\nWords."),
        ("Press <kbd>Enter</kbd> for <b>all</b>.", "Press Enter for all."),
        ("See <a href=\"https://a.example\">the page</a>.", "See [the page](https://a.example)."),
        ("See <https://a.example/x> or <me@a.example>.", "See https://a.example/x or me@a.example."),
        ("About 10<sup>6</sup>.", "About 10^6."),
        ("| A | B |\n|---|---|\n| one<br>two | 3 |", "| A | B |\n|---|---|\n| one two | 3 |"),
        ("<script>\nlet a = 1\n</script>\n\nText.", "Text."),
        (r"\*not bold\* and a\_b \[x\] 1\. \#", "*not bold* and a_b [x] 1. #"),
        ("One\\\ntwo", "One\ntwo"),
        ("A &lt;b&gt;&nbsp;&mdash; c &amp; d &unknown;", "A <b> — c & d &unknown;"),
        ("One\n\n---\n\nTwo", "One\n\nTwo"),
    ],
)  # fmt: skip
def test_markup_is_no_text(source, shown):
    assert text_of(source) == shown


@pytest.mark.parametrize(
    "source",
    [
        "Set {name} and {user.id} in {braces}.",
        "If a < b and c > d, or a <b and c> d.",
        "A List<T> of Map<String, List<Integer>> and a Promise<User>.",
        "Replace <name> and <YOUR-TOKEN> by your own, <Response [200]>.",
        "Deploy ${{ inputs.ref }} now.",
        "export what you import from a list",
        "!!! Read this first, all of you.",
        "A path C:\\Users\\name and a regex \\d+.",
        "A [x] box, [a](b) and f[0][1].",
        "100 % { 50 % }",
    ],
)
def test_what_only_looks_like_markup_stays(source):
    assert text_of(source) == source


@pytest.mark.parametrize(
    "code",
    [
        "```\n{% raw %} {{ x }} {#a} <Intro> <!-- c --> \\* {/* d */}\n\n\n\nimport a from 'b'\n[a]: http://b\n---\n```",
        "~~~jinja\n{{ x }}\n~~~",
        "```\n- item\n**bold**\n```",
        "- item\n\n  ```\n  {{ x }}\n  ```",
        "Inline `{{ x }}`, `` <Intro> ` `` and `\\*`.",
    ],
)
def test_code_stays_as_it_is(code):
    assert text_of(code) == code


def test_indented_code_keeps_its_words():
    assert text_of("Text:\n\n    {{ x }} <Intro>\n    \\*") == "Text:\n\n```\n{{ x }} <Intro>\n\\*\n```"


def test_code_within_tags_stays_code():
    source = "<Sandpack>\n```js\n<Intro>{{ x }}</Intro>\n```\n</Sandpack>\n\n<Intro>Text</Intro>"
    extracted = markdown.extract(source.encode())
    assert extracted.text.strip() == "```js\n<Intro>{{ x }}</Intro>\n```\n\nText"
    assert [each.category.value for each in extracted.elements] == ["code", "paragraph"]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("!!! note\n\n    Mind.\n\n    ```\n    {{ x }}\n    ```\n\nAfter.", "Mind.\n\n```\n{{ x }}\n```\n\nAfter."),
        ('!!! tip "For a Mac"\n    Mind this.', "**For a Mac**\n\nMind this."),
        ('??? info\n    Mind.\n\n    !!! note\n        Deeper.\n', "Mind.\n\nDeeper."),
        ('=== "Dos"\n\n    1. A\n    1. B\n\n=== "Mac"\n\n    Three.', "**Dos**\n\n1. A\n2. B\n\n**Mac**\n\nThree."),
        (":::tip\nMind this.\n:::", "Mind this."),
        (":::note[Of old]\nMind this.\n:::", "**Of old**\n\nMind this."),
        ("::: warning Hot\nMind this.\n:::\n", "**Hot**\n\nMind this."),
        ("> [!NOTE]\n> Mind this.", "> Mind this."),
        ("> [!TIP] Of old\n> Mind this.", "> **Of old**\n>\n> Mind this."),
        ("```\n!!! note\n    a\n:::tip\n:::\n```", "```\n!!! note\n    a\n:::tip\n:::\n```"),
    ],
)  # fmt: skip
def test_a_box_is_its_words_and_its_title(source, shown):
    assert text_of(source) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("```{note}\nShut the lid.\n```", "Shut the lid."),
        ("```{note} Shut the lid.\n```", "Shut the lid."),
        ("````{tab} By sea\n:sync: a\n\nRow:\n\n```sh\nrow\n```\n````", "**By sea**\n\nRow:\n\n```sh\nrow\n```"),
        ("~~~{admonition} Care\n---\nclass: tip\n---\nSlowly.\n~~~", "**Care**\n\nSlowly."),
        ("```{versionchanged} 2.1\nIt floats.\n```", "Changed in version 2.1:\nIt floats."),
        ("```{versionadded} 2.1\n```", "Added in version 2.1"),
        ("```{versionchanged} 2.1\n이제 물에 뜹니다.\n```", "2.1 버전에서 변경됨:\n이제 물에 뜹니다."),
        ("```{seealso}\nThe map.\n```", "See also:\nThe map."),
        ("```{figure} boat.png\n:width: 20\n\nThe boat.\n```", "The boat."),
        ("```{toctree}\na\nb\n```\n\nText.", "Text."),
        ("```{image} boat.png\n```\n\nText.", "Text."),
        ("1. Row.\n\n   ```{tip}\n   Softly.\n   ```\n", "1. Row.\n\n   Softly."),
        ("- ```\n  row\n  ```\n\n```{note}\nSoftly.\n```", "- ```\n  row\n  ```\n\nSoftly."),
        ("(the-boat)=\n# Boat", "# Boat"),
        ("```{code-block} python\n:linenos:\nrow = 1\n```", "```python\nrow = 1\n```"),
        ("```{shell-session}\n$ row\n```", "```\n$ row\n```"),
        ("See {ref}`the boat <boat>`, {doc}`../way/oars` and {term}`keel`.", "See the boat, oars and keel."),
        ("Set {envvar}`ROWERS` in {file}`C:\\\\boat\\\\{name}.ini`.", "Set `ROWERS` in `C:\\boat\\name.ini`."),
    ],
)  # fmt: skip
def test_a_directive_of_myst_is_its_words_and_its_title(source, shown):
    assert re.sub(r"\n{3,}", "\n\n", text_of(source)) == shown


@pytest.mark.parametrize(
    "source", ["```{r setup, echo=FALSE}\nx <- 1\n```", "Call `{ref}` or `{x}`.", "```\n{ref}`x`\n```"]
)
def test_what_only_looks_like_a_directive_stays(source):
    assert text_of(source) == source


@pytest.mark.parametrize("mark", ["```{note}\n", "```{note}\n~~~{tip}\n", "{ref}`", "```{note}\n```\n", "(a)=\n"])
def test_many_directives_take_no_time(mark):
    """What is read again for each box within a box would never come back from this."""
    assert len(text_of(mark * 40_000)) <= len(mark) * 40_000


def test_links_carry_their_addresses_and_definitions_are_no_text():
    source = (
        "See [the desk][Desk], [Desk] and [desk][]: or [`code`][desk] in `[desk]`.\n\n[![Way][map]][desk]\n\n"
        '[desk]: https://desk.example "The desk"\n[map]: map.png\n[//]: # (a comment)\n[free]\n'
    )
    assert text_of(source) == (
        "See [the desk](https://desk.example), [Desk](https://desk.example) and [desk](https://desk.example): or "
        "[`code`](https://desk.example) in `[desk]`.\n\n[![Way](map.png)](https://desk.example)\n\n[free]"
    )


def test_a_table_of_html_is_a_table():
    source = "# Days\n\n<table>\n<tr><th>Day</th><th>Date</th></tr>\n<tr><td>Rest</td>\n<td>May 1</td></tr>\n</table>\n"
    extracted = markdown.extract(source.encode())
    assert [each.category.value for each in extracted.elements] == ["heading", "table"]
    assert "| Rest | May 1 |" in extracted.text


def test_front_matter_is_no_text():
    extracted = markdown.extract(b"---\ntitle: Leave\nweight: 3\n---\n\nText.\n")
    assert (extracted.text.strip(), extracted.title, extracted.metadata) == ("Text.", "Leave", {"weight": 3})


def test_an_escape_before_a_block_does_not_move_what_follows():
    extracted = markdown.extract(b"a\\_b &amp; c\n\n# One \\& two\n\n- x\\.\n- y\n")
    assert [extracted.text[each.start : each.end] for each in extracted.elements] == [
        "a_b & c",
        "# One & two",
        "- x.\n- y",
    ]
    assert [each.label for each in extracted.elements if each.level] == ["One & two"]


def test_what_never_ends_takes_no_time():
    for part in ("<!-- ", "{% ", "{{ ", "`", '<a href="', "[a](", "![a](b)", "{/* ", "<X a={", ":::tip\n", "<table>"):
        assert text_of("x\n\n" + part * 20_000)
