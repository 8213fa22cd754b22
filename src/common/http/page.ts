import { applyDecorators, Header } from '@nestjs/common';
import { sha256 } from '../../evidence/sha256.js';

/** A page of this server for people: one file that loads nothing else. */
export interface Page {
  html: string;
  /** Content Security Policy Level 3: this one style, this one script, calls to this server, and nothing else. */
  policy: string;
}

const STYLE = `
:root { color-scheme: light dark; --edge: color-mix(in srgb, CanvasText 18%, Canvas); --quiet: color-mix(in srgb, CanvasText 65%, Canvas); --wrong: #dc2626; }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
main { width: 100%; max-width: 26rem; padding: 2rem; border: 1px solid var(--edge); border-radius: 0.75rem; }
h1 { margin: 0 0 0.75rem; font-size: 1.375rem; line-height: 1.25; }
h1:focus { outline: none; }
p { margin: 0 0 1.25rem; color: var(--quiet); overflow-wrap: anywhere; }
button { width: 100%; padding: 0.75rem 1rem; border: 0; border-radius: 0.5rem; background: #1d4ed8; color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
button:hover { background: #1e40af; }
button:disabled { opacity: 0.6; cursor: progress; }
:focus-visible { outline: 3px solid #3b82f6; outline-offset: 2px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.5rem 1rem; margin: 0 0 0.5rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
[role='alert'] { margin: 1.25rem 0 0; padding: 0.75rem 1rem; border-left: 4px solid var(--wrong); color: CanvasText; overflow-wrap: anywhere; }
[hidden] { display: none; }
@media (max-width: 30rem) { body { place-items: start stretch; padding: 0; } main { max-width: none; padding: 1.5rem 1.25rem; border: 0; } }
`;

// A page shows what went wrong in its element "error"; the addresses are relative, so that they hold behind a proxy
// with a path of its own.
const SCRIPT = `
const element = (id) => document.getElementById(id);
const fail = (text) => {
  element('error').textContent = text;
  element('error').hidden = false;
  element('error').scrollIntoView({ block: 'nearest' });
};
const failAs = ({ title, detail }) => fail([title, detail].filter(Boolean).join('. '));
const done = (heading) => { element('ask').hidden = true; element('done').hidden = false; element(heading).focus(); };
const post = async (button, address, members, refused = failAs) => {
  button.disabled = true;
  element('error').hidden = true;
  try {
    const answer = await fetch(address, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(members), credentials: 'same-origin',
    });
    const body = await answer.json();
    if (answer.ok) return body;
    refused(body);
  } catch {
    fail('The server did not answer. Check your connection and try again.');
  } finally {
    button.disabled = false;
    if (document.activeElement === document.body) button.focus();
  }
};
`;

const hashOf = (text: string): string => `'sha256-${sha256(text).toString('base64')}'`;

/**
 * @param page its `body` has the sections `ask` and `done` and the element `error`; its script has what {@link SCRIPT}
 * makes
 */
export function pageOf(page: { title: string; body: string; script: string; style?: string }): Page {
  const style = STYLE + (page.style ?? '');
  const script = SCRIPT + page.script;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>${page.body}</main>
<script>${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

/** The headers under which a route answers with this page. */
export const PageHeaders = ({ policy }: Page): MethodDecorator =>
  applyDecorators(
    Header('content-security-policy', policy),
    Header('referrer-policy', 'no-referrer'),
    Header('cache-control', 'no-cache'),
  );
