import { pageOf } from '../../../common/http/page.js';

const BODY = `
<section id="ask">
<h1>svc memory daemon</h1>
<dl>
<dt>Version</dt><dd id="version">…</dd>
<dt>Schema</dt><dd id="schema">…</dd>
<dt>Ready</dt><dd id="status">…</dd>
</dl>
<ul id="gates"></ul>
<p>This is not the console: it was not built. <code>npm run build</code> builds it.</p>
<p>Facts, graph, streams and evidence for agents and their teams.
<a href="docs">API documentation</a>, <a href="metrics">metrics</a>, <a href="v1/openapi.json">route manifest</a>.</p>
<noscript><p role="alert">This page needs JavaScript to show how the daemon does. See /readyz instead.</p></noscript>
<div id="error" role="alert" hidden></div>
</section>
<section id="done" hidden></section>
`;

// What the daemon says is only ever set as text.
const SCRIPT = `
const read = async (address) => {
  const answer = await fetch(address, { credentials: 'same-origin', cache: 'no-store' });
  return answer.json();
};
const lineOf = ({ gate, ok, detail }) => {
  const line = document.createElement('li');
  const name = document.createElement('strong');
  name.textContent = gate;
  line.className = ok ? 'ok' : 'wrong';
  line.append(name, ' ' + (ok ? 'holds' : 'fails') + ': ' + detail);
  return line;
};
const show = async () => {
  try {
    const [version, readiness] = await Promise.all([read('v1/version'), read('readyz')]);
    element('error').hidden = true;
    element('version').textContent = version.version;
    element('schema').textContent = version.schema.name;
    element('status').textContent = readiness.status === 'ready' ? 'yes' : 'no';
    element('gates').replaceChildren(...(readiness.checks ?? []).map(lineOf));
  } catch {
    element('status').textContent = 'unknown';
    fail('The daemon did not answer. This page tries again every five seconds.');
  }
};
show();
setInterval(show, 5000);
`;

const STYLE = `
main { max-width: 44rem; }
ul { list-style: none; margin: 0 0 1.25rem; padding: 0; }
li { margin: 0 0 0.375rem; padding-left: 0.75rem; border-left: 4px solid var(--edge); overflow-wrap: anywhere; }
li.ok { border-color: #15803d; }
li.wrong { border-color: var(--wrong); }
a { color: inherit; }
`;

/** What stands at the console's address where it was not built: what this daemon is and how it does. */
export const CONSOLE_PAGE = pageOf({ title: 'svc console', body: BODY, script: SCRIPT, style: STYLE });
