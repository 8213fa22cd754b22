import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface ReceivedMail {
  to: string;
  from: string;
  messageId: string;
  subject: string;
  text: string;
}

export interface MailServer {
  /** For SVC_SMTP_URL. */
  url: string;
  port: number;
  received: ReceivedMail[];
  /** Waits until so many mails have come in all. */
  until(count: number): Promise<ReceivedMail[]>;
  close(): Promise<void>;
}

export interface MailServerOptions {
  port?: number;
  /** What RCPT TO is answered: an error with a responseCode, or nothing to take it. */
  onRecipient?: (address: string) => Error | undefined;
  /** Waits before the mail is acknowledged. */
  beforeAcknowledging?: (address: string) => Promise<void>;
}

/** A real SMTP server on a loopback port. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const onData: SMTPServerOptions['onData'] = (stream, session, callback) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const { address } = session.envelope.rcptTo[0]!;
      void (options.beforeAcknowledging?.(address) ?? Promise.resolve()).then(() => {
        received.push(read(Buffer.concat(parts).toString('utf8'), address));
        callback();
      });
    });
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    closeTimeout: 100,
    onRcptTo: ({ address }, _session, callback) => callback(options.onRecipient?.(address)),
    onData,
  });
  server.on('error', () => undefined); // a client that goes away is not the test's fault
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    received,
    until: async (count) => {
      for (let tries = 0; received.length < count && tries < 600; tries++) await sleep(25);
      if (received.length < count) throw new Error(`${received.length} of ${count} mails came`);
      return received;
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** What a refusing server answers. */
export const smtpError = (responseCode: number): Error => Object.assign(new Error('not now'), { responseCode });

function read(raw: string, to: string): ReceivedMail {
  const [head = '', body = ''] = raw.split(/\r\n\r\n([\s\S]*)/);
  const header = (name: string) =>
    new RegExp(`^${name}: (.*)$`, 'im').exec(head.replace(/\r\n[ \t]+/g, ' '))?.[1] ?? '';
  const text = header('content-transfer-encoding') === 'quoted-printable' ? fromQuotedPrintable(body) : body;
  return { to, from: header('from'), messageId: header('message-id'), subject: header('subject'), text: text.trim() };
}

const fromQuotedPrintable = (text: string): string =>
  Buffer.from(
    text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');
