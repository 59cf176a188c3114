"""The HTML report in a browser: keys step through a story."""

import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from io import StringIO
from itertools import chain

import pytest
from machine import patience

from stingy.guarantees import all_rules
from stingy.judging.trial import Judge
from stingy.reports import Report, html
from stingy.request import Request
from stingy.transport import locate

TARGET = "stingy_broken.queues:ForgetsWhatIsHeld"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PROBE = """
<script>
const errors = [];
addEventListener("error", (event) => errors.push(event.message));
addEventListener("load", () => {
  const figure = document.querySelector("figure");
  const press = (key) => figure.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const seen = [];
  press("e");
  seen.push(figure.querySelector("output").textContent);
  press("ArrowLeft");
  seen.push(figure.querySelector("output").textContent);
  document.querySelector(".filter input[value=PASS]").click();
  const hidden = document.querySelectorAll("[data-verdict=PASS]:not([hidden])").length;
  const made = document.createElement("pre");
  made.id = "seen";
  made.textContent = JSON.stringify([seen, hidden, errors, performance.getEntriesByType("resource").length]);
  document.body.append(made);
});
</script>
"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here to open the page with")
def test_in_a_browser_the_keys_step_to_the_first_error_and_back(tmp_path):
    judge = Judge(locate(TARGET, 1), 1)
    rules = [rule for rule in all_rules().values() if rule.guarantee in ("stingy", "length", "limiters")]
    out = StringIO()
    verdicts = list(chain.from_iterable(map(judge.verdicts, rules)))
    html.write(Report("1", Request(TARGET, seed=1), "Theirs", "2", "", verdicts), out)
    probe = PROBE.partition(">")[2].rpartition("<")[0]
    hashed = b64encode(sha256(probe.encode()).digest()).decode()
    allowed = out.getvalue().replace("script-src ", f"script-src 'sha256-{hashed}' ")
    (tmp_path / "page.html").write_text(allowed.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    done = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=5000"),
            (tmp_path / "page.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=patience(10),
        check=True,
    )
    (seen,) = re.findall(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert seen.startswith("[[\"step 4 of 4: worker 2 Get() → 'a'✗ expected to wait")
    assert seen.endswith("\"step 3 of 4: producer Add('a')\"],0,[],0]")
