import { Injectable } from '@nestjs/common';
import { EncryptedText, type EncryptionContext } from '../sessions/encrypted-text.js';
import { Tenancy } from '../tenancy/tenancy.js';

/** A mail in plain text to one recipient. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/**
 * The mails of a tenant that wait to be delivered. Their text is encrypted: an invitation's link must not be readable
 * from a row or a backup.
 */
@Injectable()
export class MailStore {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly encryption: EncryptedText,
  ) {}

  async record(mailId: string, { to, subject, text }: Mail): Promise<void> {
    await this.tenancy.query(
      'insert into outgoing_mail (tenant_id, mail_id, recipient, subject, body) values ($1, $2, $3, $4, $5)',
      [this.tenancy.tenant, mailId, to, subject, await this.encryption.encrypt(text, this.contextOf(mailId))],
    );
  }

  /**
   * @returns undefined when it was delivered or given up; without its text when it was encrypted under a secret this
   * server no longer has
   */
  async find(mailId: string): Promise<(Omit<Mail, 'text'> & { text: string | undefined }) | undefined> {
    const [row] = await this.tenancy.query<Mail>(
      'select recipient as "to", subject, body as text from outgoing_mail where tenant_id = $1 and mail_id = $2',
      [this.tenancy.tenant, mailId],
    );
    return row && { ...row, text: await this.encryption.decrypt(row.text, this.contextOf(mailId)) };
  }

  /** @returns whether it was still there */
  async remove(mailId: string): Promise<boolean> {
    const rows = await this.tenancy.query(
      'delete from outgoing_mail where tenant_id = $1 and mail_id = $2 returning 1',
      [this.tenancy.tenant, mailId],
    );
    return rows.length > 0;
  }

  private contextOf(mailId: string): EncryptionContext {
    return { purpose: 'mail', context: [this.tenancy.tenant, mailId] };
  }
}
