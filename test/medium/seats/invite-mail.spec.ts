import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { startMailServer, type MailServer } from '../../kit/mail.js';
import { accept } from './given.js';

let mails: MailServer;
let api: TestApi;
beforeAll(async () => {
  mails = await startMailServer();
  api = await startApi({ env: { SVC_SMTP_URL: mails.url, SVC_PUBLIC_URL: 'https://svc.example.org/api/' } });
});
afterAll(async () => {
  await api.close();
  await mails.close();
});

describe('the mail of an invitation', () => {
  it('brings a link under the public address that accepts it', async () => {
    const invited = await api.tenant.call('POST', '/v1/org/invite', { email: 'Lin@Example.org', role: 'viewer' });
    const { inviteUrl, inviteToken, expiresAt } = invited.body;
    expect(inviteUrl).toBe(`https://svc.example.org/api/frontdoor/accept-invite#token=${inviteToken}`);
    const [mail] = await mails.until(1);
    expect([mail!.to, mail!.subject]).toEqual(['lin@example.org', 'Invitation to acme']);
    const lines = mail!.text.split(/\r?\n/);
    expect(lines).toContain(inviteUrl);
    expect(mail!.text).toContain('with the role viewer');
    expect(mail!.text).toContain(`until ${expiresAt.slice(0, 10)} ${expiresAt.slice(11, 16)} UTC`);
    const link = new URL(lines.find((line) => line.startsWith('https://'))!);
    const token = new URLSearchParams(link.hash.slice(1)).get('token')!;
    expect((await accept(api.url, token)).email).toBe('lin@example.org');
  });

  it('is not sent when the invitation is refused', async () => {
    const refused = await api.tenant.call('POST', '/v1/org/invite', { email: 'lin@example.org', role: 'admin' });
    expect(refused.status).toBe(409);
    await api.tenant.call('POST', '/v1/org/bootstrap-owner', { email: 'first@example.org' });
    const received = await mails.until(2);
    expect(received.map(({ to }) => to)).toEqual(['lin@example.org', 'first@example.org']);
  });
});
