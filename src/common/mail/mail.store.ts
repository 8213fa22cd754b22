import { Injectable } from '@nestjs/common';
import { SealedText, type SealContext } from '../sessions/sealed-text.js';
import { Tenancy } from '../tenancy/tenancy.js';

/** A mail in plain text to one recipient. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** The mails of a tenant that wait to be delivered. What they say is sealed: an invitation's link must not be readable from a row or a backup. */
@Injectable()
export class MailStore {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly sealed: SealedText,
  ) {}

  async record(mailId: string, { to, subject, text }: Mail): Promise<void> {
    await this.tenancy.query(
      'insert into outgoing_mail (tenant_id, mail_id, recipient, subject, body) values ($1, $2, $3, $4, $5)',
      [this.tenancy.tenant, mailId, to, subject, await this.sealed.seal(text, this.sealOf(mailId))],
    );
  }

  /** @returns undefined when it was delivered or given up; without its text when it was sealed under a secret this server no longer has */
  async find(mailId: string): Promise<(Omit<Mail, 'text'> & { text: string | undefined }) | undefined> {
    const [row] = await this.tenancy.query<Mail>(
      'select recipient as "to", subject, body as text from outgoing_mail where tenant_id = $1 and mail_id = $2',
      [this.tenancy.tenant, mailId],
    );
    return row && { ...row, text: await this.sealed.open(row.text, this.sealOf(mailId)) };
  }

  /** @returns whether it was still there */
  async remove(mailId: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      'delete from outgoing_mail where tenant_id = $1 and mail_id = $2 returning 1',
      [this.tenancy.tenant, mailId],
    );
    return rows.length > 0;
  }

  private sealOf(mailId: string): SealContext {
    return { purpose: 'mail', context: [this.tenancy.tenant, mailId] };
  }
}
