import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { Counter } from 'prom-client';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Jobs } from '../jobs/jobs.js';
import { LOG, type Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { MailStore, type Mail } from './mail.store.js';
import type { MailJob } from './mailer.js';

/** How long the server may take to connect, to greet, and between two lines; together below the time a job may take. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

/**
 * Mails that a process delivers at once, and of them those of one tenant: a recipient whose server is slow to answer
 * keeps no other tenant's mails waiting.
 */
const AT_ONCE = { localConcurrency: 8, localGroupConcurrency: 2 };

/**
 * Delivers mails over SMTP. What the server refuses for good is given up at once; anything else is tried again, ever
 * more slowly, for some six hours. A worker that dies between delivery and its record delivers twice: the Message-ID is
 * the same, so that mailboxes recognize the duplicate.
 */
@Injectable()
export class MailWorker implements OnModuleInit {
  private readonly results: Counter<'result'>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: MailStore,
    private readonly jobs: Jobs,
    metrics: Metrics,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.results = metrics.counter(
      'svc_mail_total',
      'Attempts to deliver a mail, by result: delivered, deferred (tried again later), rejected (by the server, for good), expired (tried too long), unreadable (encrypted under another secret).',
      ['result'],
    );
    // An alert sees a rise alone: a series that is there only from its first loss on has none.
    for (const result of RESULTS) this.results.inc({ result }, 0);
  }

  async onModuleInit(): Promise<void> {
    const { smtpUrl } = this.settings.mail;
    if (smtpUrl === undefined) return;
    await this.jobs.work<MailJob>('mail', { batchSize: 1, ...AT_ONCE }, async ([job]) => {
      if (job) await this.deliver(job.data, smtpUrl);
    });
    await this.jobs.work<MailJob>('mail.dead', { batchSize: 1 }, async ([job]) => {
      if (job) await this.giveUp(job.data, 'expired', 'the mail server did not take it in time');
    });
  }

  private async deliver({ tenantId, mailId }: MailJob, smtpUrl: string): Promise<void> {
    const mail = await this.tenancy.run(tenantId, () => this.store.find(mailId));
    if (!mail) return;
    const { text } = mail;
    if (text === undefined) return this.giveUp({ tenantId, mailId }, 'unreadable', "the server's secret was changed");
    try {
      await this.hand(mailId, { ...mail, text }, smtpUrl);
    } catch (error) {
      const reason = reasonOf(error);
      if (isFinal(error)) return this.giveUp({ tenantId, mailId }, 'rejected', reason);
      this.results.inc({ result: 'deferred' });
      this.log.warn({ tenant: tenantId, mail_id: mailId, reason }, 'a mail was not delivered and is tried again');
      // What the server said may name the recipient: the job's record gets the code alone.
      throw new Error(reason);
    }
    this.results.inc({ result: 'delivered' });
    await this.tenancy.run(tenantId, () => this.store.remove(mailId));
  }

  private async hand(mailId: string, { to, subject, text }: Mail, smtpUrl: string): Promise<void> {
    const transport = createTransport({ url: smtpUrl, ...TIMEOUTS, disableFileAccess: true, disableUrlAccess: true });
    await transport.sendMail({
      from: this.settings.mail.from,
      to: { name: '', address: to },
      subject,
      text,
      messageId: `<${mailId}@svc>`,
      headers: { 'auto-submitted': 'auto-generated' },
    });
  }

  private async giveUp({ tenantId, mailId }: MailJob, result: Loss, reason: string): Promise<void> {
    if (!(await this.tenancy.run(tenantId, () => this.store.remove(mailId)))) return;
    this.results.inc({ result });
    this.log.error({ tenant: tenantId, mail_id: mailId, reason }, 'a mail was given up');
  }
}

/** Why a mail is given up. */
const LOSSES = ['rejected', 'expired', 'unreadable'] as const;
type Loss = (typeof LOSSES)[number];
const RESULTS = ['delivered', 'deferred', ...LOSSES] as const;

/**
 * The recipient or the message is refused with 5xx. A refused sender or sign-in is an error in the settings, which can
 * be corrected meanwhile.
 */
function isFinal(error: unknown): boolean {
  const { command, responseCode = 0 } = error as NodemailerError;
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}

function reasonOf(error: unknown): string {
  const { code, command, responseCode } = error as NodemailerError;
  return ['SMTP', code, command, responseCode].filter((part) => part !== undefined).join(' ');
}
