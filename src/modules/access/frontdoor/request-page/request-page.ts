import { TIERS } from '../../../../common/contract/caller.js';
import { pageOf } from '../../../../common/http/page.js';
import { AUDIENCES, type Audience } from '../access-requests/access-requests.types.js';

const STYLE = `
main { max-width: 34rem; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; }
fieldset label { display: inline-flex; align-items: center; margin: 0 1.5rem 0 0; padding: 0.5rem 0; font-weight: 400; }
legend, label { display: block; margin-bottom: 0.25rem; padding: 0; font-weight: 600; }
.field { margin-bottom: 1.25rem; }
.hint, .wrong { display: block; margin: 0.25rem 0 0; font-size: 0.875rem; }
.hint { color: var(--quiet); }
.wrong { padding-left: 0.5rem; border-left: 3px solid var(--wrong); overflow-wrap: anywhere; }
.wrong:empty { display: none; }
.tick label { display: flex; align-items: flex-start; margin: 0; padding: 0.25rem 0; font-weight: 400; }
.optional { color: var(--quiet); font-size: 0.875rem; font-weight: 400; }
input:not([type='radio'], [type='checkbox']), select, textarea { width: 100%; padding: 0.625rem 0.75rem; border: 1px solid color-mix(in srgb, CanvasText 50%, Canvas); border-radius: 0.5rem; background: Canvas; color: CanvasText; font: inherit; }
input[type='radio'], input[type='checkbox'] { width: 1.125rem; height: 1.125rem; flex: none; margin: 0.1875rem 0.625rem 0.1875rem 0; accent-color: #1d4ed8; }
textarea { display: block; min-height: 5.5rem; resize: vertical; }
[aria-invalid='true'] { border-color: var(--wrong) !important; }
#error:not([hidden]) { margin: 0 0 1.25rem; }
`;

interface Field {
  name: string;
  label: string;
  /** The attributes of the control's tag other than its name. */
  rules: string;
  hint?: string;
}

const optional = (rules: string): boolean => !rules.includes('required');

/** A control with its label, what helps to fill it in, and the place where the server's word on it is shown. */
function framed({ name, label, rules, hint }: Field, control: (attributes: string) => string): string {
  const described = `${hint ? `${name}-hint ` : ''}${name}-wrong`;
  return `<div class="field" id="${name}-field">
<label for="${name}">${label}${optional(rules) ? ' <span class="optional">(optional)</span>' : ''}</label>
${control(`id="${name}" name="${name}" aria-describedby="${described}" ${rules}`)}
${hint ? `<span class="hint" id="${name}-hint">${hint}</span>\n` : ''}<span class="wrong" id="${name}-wrong"></span>
</div>`;
}

const line = (field: Field): string => framed(field, (attributes) => `<input ${attributes}>`);
const text = (field: Field): string => framed(field, (attributes) => `<textarea ${attributes}></textarea>`);

const AUDIENCE_LABELS: Record<Audience, string> = { human: 'A person', agent: 'An agent' };
const audiences = [...AUDIENCES]
  .reverse()
  .map((value) => {
    const checked = value === 'human' ? ' checked' : '';
    return `<label><input type="radio" name="audience" value="${value}" required${checked}>${AUDIENCE_LABELS[value]}</label>`;
  })
  .join('\n');
const levels = TIERS.map((tier) => `<option value="${tier}">${tier[0]!.toUpperCase()}${tier.slice(1)}</option>`);

const FIELDS = [
  `<fieldset aria-describedby="audience-wrong">
<legend>Who will use it?</legend>
${audiences}
<span class="wrong" id="audience-wrong"></span>
</fieldset>`,
  line({
    name: 'defaultAgentId',
    label: 'Agent',
    rules: 'maxlength="120" autocomplete="off" spellcheck="false"',
    hint: 'The name or id by which you know it.',
  }),
  line({
    name: 'requesterEmail',
    label: 'E-mail',
    rules: 'type="email" required maxlength="254" autocomplete="email"',
    hint: 'The answer goes here.',
  }),
  line({ name: 'requesterName', label: 'Name', rules: 'maxlength="120" autocomplete="name"' }),
  line({ name: 'companyName', label: 'Company', rules: 'maxlength="160" autocomplete="organization"' }),
  line({
    name: 'tenantId',
    label: 'Tenant id',
    rules: String.raw`maxlength="120" pattern="[A-Za-z0-9][\w.:@\-]*" autocomplete="off" autocapitalize="none" spellcheck="false" title="Letters, digits and . _ : @ - with a letter or digit first"`,
    hint: 'How your tenant is to be called: letters, digits and . _ : @ - with a letter or digit first. Left empty, it is made of the company.',
  }),
  framed(
    { name: 'requestedUserLevel', label: 'Level', rules: '' },
    (attributes) => `<select ${attributes}>
<option value="">No preference</option>
${levels.join('\n')}
</select>`,
  ),
  text({ name: 'useCase', label: 'Use case', rules: 'maxlength="2000"', hint: 'What you want to do with it.' }),
  text({ name: 'notes', label: 'Notes', rules: 'maxlength="2000"' }),
  `<div class="field tick">
<label for="apiKeyProvided"><input type="checkbox" id="apiKeyProvided" name="apiKeyProvided" aria-describedby="apiKeyProvided-wrong">I have an API key of this server already</label>
<span class="wrong" id="apiKeyProvided-wrong"></span>
</div>`,
];

const BODY = `
<section id="ask">
<h1>Request access</h1>
<p>The operator of this server reviews your request and answers by e-mail.</p>
<noscript><p role="alert">This page needs JavaScript to send the request.</p></noscript>
<form id="form" hidden>
${FIELDS.join('\n')}
<div id="error" role="alert" hidden></div>
<button id="send" type="submit">Send the request</button>
</form>
</section>
<section id="done" hidden>
<h1 id="received" tabindex="-1">Your request was received</h1>
<p>The answer goes to <strong id="answer-to"></strong>. Keep the request's id for asking after it.</p>
<dl>
<dt>Request</dt><dd id="request-id"></dd>
<dt>Status</dt><dd id="status"></dd>
<dt>Received</dt><dd id="submitted-at"></dd>
</dl>
</section>
`;

const SCRIPT = `
const form = element('form');
form.hidden = false;
const controls = [...form.elements].filter(({ name }) => name);
const clear = (name) => {
  element(name + '-wrong').textContent = '';
  for (const control of controls) if (control.name === name) control.removeAttribute('aria-invalid');
};
const blame = (name, text) => {
  const place = element(name + '-wrong');
  place.textContent = [place.textContent, text].filter(Boolean).join('; ');
  for (const control of controls) if (control.name === name) control.setAttribute('aria-invalid', 'true');
};
const labelOf = (name) => {
  const control = controls.find((one) => one.name === name);
  if (!control) return name;
  const label = control.type === 'radio' ? control.closest('fieldset').querySelector('legend') : control.labels[0];
  return label.innerText.replace(/ [(]optional[)]$|[?]$/, '');
};
// The server names members of the request; people are shown the labels of the fields.
const refused = (problem) => {
  const named = (problem.issues ?? []).map(({ path, message }) => {
    const name = path.replace(/^body[.]/, '');
    return { name, text: message.startsWith(name + ' ') ? message.slice(name.length + 1) : message };
  });
  if (named.length === 0) return failAs(problem);
  for (const { name, text } of named) if (controls.some((one) => one.name === name)) blame(name, text);
  fail('Not accepted. ' + named.map(({ name, text }) => labelOf(name) + ': ' + text).join('; '));
  form.querySelector('[aria-invalid]')?.focus();
};
// What is left empty is left out.
const membersOf = () => {
  const said = [...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(said), apiKeyProvided: element('apiKeyProvided').checked };
};
const follow = () => {
  const isAgent = form.elements.audience.value === 'agent';
  element('defaultAgentId-field').hidden = !isAgent;
  element('defaultAgentId').disabled = !isAgent;
};
form.addEventListener('input', ({ target }) => { clear(target.name); follow(); });
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (element('send').disabled) return;
  for (const { name } of controls) clear(name);
  const members = membersOf();
  const receipt = await post(element('send'), 'access-requests', members, refused);
  if (!receipt) return;
  element('answer-to').textContent = members.requesterEmail;
  element('request-id').textContent = receipt.requestId;
  element('status').textContent = receipt.status;
  element('submitted-at').textContent = new Date(receipt.submittedAt).toLocaleString();
  done('received');
});
follow();
`;

/** Where people ask for a tenant, and where those are sent who have no credits left. */
export const REQUEST_PAGE = pageOf({ title: 'Request access', body: BODY, style: STYLE, script: SCRIPT });
