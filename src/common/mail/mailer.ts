import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../ids/uuid.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Jobs } from '../jobs/jobs.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { MailStore, type Mail } from './mail.store.js';

/** What the delivery of a mail is taken to last. */
const LASTS_MS = 1_000;

/** What a job of the queue `mail` carries: where the mail is, never what it says. */
export interface MailJob {
  tenantId: string;
  mailId: string;
}

/**
 * Sends mail as an effect of the open unit of work: it goes out soon after the commit, at least once, and never when
 * there is none. Without SVC_SMTP_URL nothing is kept and nothing goes out.
 */
@Injectable()
export class Mailer {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: MailStore,
    private readonly jobs: Jobs,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async send(mail: Mail): Promise<void> {
    if (this.settings.mail.smtpUrl === undefined) return;
    const mailId = uuid();
    await this.store.record(mailId, mail);
    const job: MailJob = { tenantId: this.tenancy.tenant, mailId };
    await this.jobs.send('mail', job, { lastsMs: LASTS_MS });
  }
}
