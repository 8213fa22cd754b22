import { pageOf } from '../../../../common/http/page.js';

const BODY = `
<section id="ask">
<h1>You are invited</h1>
<p>Accepting signs you in on this browser. An invitation works once.</p>
<button id="accept" type="button">Accept the invitation</button>
<noscript><p role="alert">This page needs JavaScript to accept the invitation.</p></noscript>
<div id="error" role="alert" hidden></div>
</section>
<section id="done" hidden>
<h1 id="signed-in" tabindex="-1">You are signed in</h1>
<dl>
<dt>As</dt><dd id="email"></dd>
<dt>Tenant</dt><dd id="tenant"></dd>
<dt>Role</dt><dd id="role"></dd>
<dt>Until</dt><dd id="until"></dd>
</dl>
</section>
`;

// The token stands in the fragment, which browsers send to no server; once used, it leaves the address bar and the
// history.
const SCRIPT = `
const token = new URLSearchParams(location.hash.slice(1)).get('token');
const accept = async () => {
  const session = await post(element('accept'), '../v1/org/accept-invite', { token });
  if (!session) return;
  element('email').textContent = session.seatEmail;
  element('tenant').textContent = session.tenantId;
  element('role').textContent = session.seatRole;
  element('until').textContent = new Date(session.expiresAt).toLocaleString();
  done('signed-in');
  history.replaceState(null, '', location.pathname);
};
element('accept').addEventListener('click', accept);
// Another link opened in the same tab changes the fragment alone.
addEventListener('hashchange', () => location.reload());
if (!token) {
  element('accept').hidden = true;
  fail('This address holds no invitation. Open the link exactly as it was sent to you.');
}
`;

/** Where an invitation's link leads. */
export const ACCEPT_PAGE = pageOf({ title: 'Accept your invitation', body: BODY, script: SCRIPT });
