import { expect } from 'vitest';
import type { DaemonCall } from '../../kit/daemon.js';

export const EXTRACT = '/v1/memory/extract';
export const CANDIDATES = '/v1/memory/candidates';

/** An extraction that succeeds. */
export async function extract(call: DaemonCall, text: string, more: object = {}): Promise<any> {
  const { status, body } = await call('POST', EXTRACT, { text, ...more });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

export async function promote(call: DaemonCall, id: string, more: object = {}): Promise<any> {
  const { status, body } = await call('POST', `${CANDIDATES}/${id}/promote`, more);
  return { status, ...body };
}

/** A credential of each kind, made up. @returns kind and text */
export function secrets(): [string, string][] {
  const letters = (count: number, from = 'aB3dE5gH7jK9mN1pQ4sT6vW8xZ0') =>
    Array.from({ length: count }, (_, i) => from[(i * 7 + 3) % from.length]).join('');
  const hex = (count: number) => letters(count, '0123456789abcdef');
  const upper = (count: number) => letters(count, 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789');
  return [
    ['aws access key', `AWS_ACCESS_KEY_ID=AKIA${upper(16)}`],
    ['aws secret key', `AWS_SECRET_ACCESS_KEY=${letters(40)}`],
    ['github token', `ghp_${letters(36)}`],
    ['github fine-grained token', `github_pat_${letters(22)}_${letters(59)}`],
    ['gitlab token', `glpat-${letters(20)}`],
    ['slack token', `xoxb-${hex(12).replace(/\D/g, '1')}-${letters(24)}`],
    ['stripe key', `sk_live_${letters(24)}`],
    ['openai key', `sk-proj-${letters(74)}T3BlbkFJ${letters(74)}`],
    ['anthropic key', `sk-ant-api03-${letters(93)}AA`],
    ['npm token', `npm_${letters(36)}`],
    ['sendgrid key', `SG.${letters(22)}.${letters(43)}`],
    ['huggingface token', `hf_${letters(34, 'abcdefghijklmnopqrstuvwxyzABCDEF')}`],
    ['google api key', `AIza${letters(35)}`],
    ['jwt', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${letters(43)}`],
    ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${letters(64)}\n${letters(64)}\n-----END RSA PRIVATE KEY-----`],
    ['bearer', `Authorization: Bearer ${letters(40)}`],
    ['basic auth in an address', `https://admin:${letters(20)}@db.example.org/`],
    ['database address', `postgresql://app:${letters(20)}@db.example.org:5432/app`],
    ['password', `password: ${letters(14)}`],
    ['api key by name', `api_key = "${letters(32)}"`],
    ['twilio key', `SK${hex(32)}`],
    ['shopify token', `shpat_${hex(32)}`],
    ['docker token', `dckr_pat_${letters(27)}`],
    ['vault token', `hvs.${letters(92)}`],
  ];
}
