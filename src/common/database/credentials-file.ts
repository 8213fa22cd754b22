import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';

/** The content of credentials.json (D4): made on the first start, mode 0600. */
export interface Credentials {
  tenant_id: string;
  api_key: string;
  api_url: string;
  tools_url: string;
  daemon_url: string;
  daemon_jwt_secret: string;
  payment_webhook_secret: string;
}

export const credentialsPath = (settings: Settings): string => join(settings.process.dataDir, 'credentials.json');

/** The headers of a request with the first key, as curl reads them (`-H @file`). */
export const curlHeadersPath = (settings: Settings): string => join(settings.process.dataDir, 'curl-headers.txt');

/** The credentials of the first start, where its file is still there. */
export async function readCredentials(settings: Settings): Promise<Credentials | undefined> {
  try {
    return JSON.parse(await readFile(credentialsPath(settings), 'utf8')) as Credentials;
  } catch {
    return undefined;
  }
}
