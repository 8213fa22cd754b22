import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startMailServer, type MailServer } from '../../kit/mail.js';
import { accept, givenMember, someEmail, until } from './given.js';

let mails: MailServer;
let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  mails = await startMailServer();
  api = await startApi({ env: { SVC_SMTP_URL: mails.url, SVC_TRUSTED_PROXIES: '127.0.0.1' } });
  acme = api.tenant;
});
afterAll(async () => {
  await api.close();
  await mails.close();
});

const invite = (by: TestTenant, email: string) => by.call('POST', '/v1/org/invite', { email });
const tryAccept = (token: string) => send(api.url, 'POST', '/v1/org/accept-invite', { token });

describe('a sign-in link by mail', () => {
  const ask = (tenantId: string, email: string, address: string) =>
    send(api.url, 'POST', '/frontdoor/auth/sign-in-link', { tenantId, email }, { 'x-forwarded-for': address });
  const mailsTo = (email: string) =>
    mails.received.filter(({ to, subject }) => to === email && /^Sign in/.test(subject));
  const tokenIn = (text: string) => /#token=(\S+)/.exec(text)![1]!;

  it('goes to an active seat and to nobody else; the answer is the same', async () => {
    const [owner, revoked] = [await givenMember(api.url, acme, 'owner'), await givenMember(api.url, acme, 'member')];
    await acme.call('DELETE', `/v1/org/seats/${revoked.seatId}`);
    const pending = (await invite(acme, someEmail())).body;
    const unknown = someEmail('unknown');
    const answers = [
      await ask('acme', revoked.email, '198.51.100.1'),
      await ask('acme', pending.seat.userEmail, '198.51.100.1'),
      await ask('acme', unknown, '198.51.100.1'),
      await ask('no-such-tenant', owner.email, '198.51.100.1'),
      await ask('acme', owner.email.replace('owner', 'OWNER'), '198.51.100.1'),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [202, { status: 'accepted' }]));
    const refused = await ask('acme', owner.email, '198.51.100.1');
    expect([refused.status, refused.body.type]).toEqual([429, 'TooManyRequests']);
    expect(refused.headers.get('retry-after')).toBe(String(refused.body.retryAfterSec));

    // Links are made in the order they were asked for: with the last mail here, no other can follow.
    await until(async () => mailsTo(owner.email).length > 0, 30_000);
    expect([revoked.email, pending.seat.userEmail, unknown].flatMap(mailsTo)).toEqual([]);
    const [mail] = mailsTo(owner.email);
    expect([mail!.subject, mail!.text]).toEqual(['Sign in to acme', expect.stringContaining('your role is owner')]);
    expect((await accept(api.url, tokenIn(mail!.text))).seatId).toBe(owner.seatId);
    expect((await tryAccept(pending.inviteToken)).status).toBe(200);
  });

  it('goes to one mailbox a few times only, and the last one works', async () => {
    const member = await givenMember(api.url, acme, 'member');
    for (let index = 0; index < 8; index += 1)
      expect((await ask('acme', member.email, `203.0.113.${index}`)).status).toBe(202);
    const last = await givenMember(api.url, acme, 'member');
    await ask('acme', last.email, '203.0.113.100');
    await until(async () => mailsTo(last.email).length === 1 && mailsTo(member.email).length === 5, 30_000);
    const opened = await Promise.all(mailsTo(member.email).map(({ text }) => tryAccept(tokenIn(text))));
    expect(opened.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
  });

  it.each<[object, string]>([
    [{ email: 'a@example.org' }, 'body.tenantId'],
    [{ tenantId: 'acme' }, 'body.email'],
    [{ tenantId: 'acme', email: 'nobody' }, 'body.email'],
    [{ tenantId: 'acme', email: 'a@example.org', role: 'owner' }, 'body.role'],
  ])('refuses the body %j', async (body, path) => {
    const refused = await send(api.url, 'POST', '/frontdoor/auth/sign-in-link', body);
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, path]);
  });

  it('takes nothing away where no mail is set up', async () => {
    const silent = await startApi();
    try {
      const member = await givenMember(silent.url, silent.tenant, 'member');
      const { inviteToken } = (await invite(silent.tenant, member.email)).body;
      const body = { tenantId: silent.tenant.tenantId, email: member.email };
      const asked = await send(silent.url, 'POST', '/frontdoor/auth/sign-in-link', body);
      expect([asked.status, asked.body]).toEqual([202, { status: 'accepted' }]);
      expect((await accept(silent.url, inviteToken)).seatId).toBe(member.seatId);
    } finally {
      await silent.close();
    }
  });
});
