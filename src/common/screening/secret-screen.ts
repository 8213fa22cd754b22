import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Mark, maskMarks } from './marks.js';

/** Comments of this rule switch the others off: a text must not say what is looked for in it. */
const DIRECTIVES = '@secretlint/secretlint-rule-filter-comments';

/** What has no issuer whose form the library knows. */
const COMMON: readonly [string, RegExp][] = [
  ['private-key', /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g],
  ['jwt', /\beyJ[\w-]{8,2048}\.[\w-]{4,}\.[\w-]*/g],
  ['bearer', /(?<=\b(?:bearer|basic)\s{1,4})[\w.~+/-]{16,}=*/gi],
  [
    // A secret that was masked is none: what was screened before stays as it is.
    'assigned',
    /(?<=(?:\b|_)(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key)["']?\s{0,4}[:=]\s{0,4}["']?)(?!(?<=\[secret:)[a-z0-9-]+\])[^\s"',;[\]]{6,}/gi,
  ],
  [
    'spoken-password',
    /(?<=\b(?:password|passphrase|passcode|pin)\s{1,4}(?:is|was)\s{1,4}["']?)(?=\S{0,64}\d)[^\s"'[\]]{6,}/gi,
  ],
  ['aws-access-key-id', /\b(?:AKIA|ASIA|AROA)[A-Z0-9]{16}\b/g],
  ['google-api-key', /\bAIza[\w-]{35}/g],
  ['twilio-key', /\b(?:SK|AC)[0-9a-f]{32}\b/g],
  ['telegram-token', /\b\d{8,10}:AA[\w-]{33}/g],
  ['pypi-token', /\bpypi-[\w-]{50,}/g],
  ['digitalocean-token', /\bdo[opr]_v1_[0-9a-f]{64}/g],
  ['mailgun-key', /\bkey-[0-9a-f]{32}\b/g],
  ['azure-account-key', /(?<=\bAccountKey=)[A-Za-z0-9+/]{60,}={0,2}/g],
];

/** A secret that was masked: its kind, and its place in the text as it came, in UTF-16 units. */
export interface ScreenedSecret {
  kind: string;
  start: number;
  end: number;
}

interface Screened {
  text: string;
  screened: ScreenedSecret[];
}

/** Characters that are looked at in one go, and those that two neighbouring parts share: no credential is longer. */
const PART = 16_384;
const SHARED = 4_096;

type Look = (text: string) => Promise<Mark[]>;

/** Finds credentials in texts, by the rules of secretlint. */
@Injectable()
export class SecretScreen {
  private look: Promise<Look> | undefined;

  /** @returns the text with each secret as its name in brackets, and where the secrets stood in it, in order */
  async mask(text: string): Promise<Screened> {
    const found = (await this.find(text)).toSorted((a, b) => a.start - b.start || b.end - a.end);
    const screened = found.map(({ start, end, name }) => ({ kind: name.replace(/^secret:/, ''), start, end }));
    return { text: found.length === 0 ? text : maskMarks(text, found), screened };
  }

  /** A long text is looked at part by part, and others have their turn between two parts. */
  async find(text: string): Promise<Mark[]> {
    const common = COMMON.flatMap(([name, form]) =>
      [...text.matchAll(form)].map(({ 0: { length }, index }) => ({
        ...{ start: index, end: index + length, name: `secret:${name}` },
      })),
    );
    this.look ??= load();
    const look = await this.look;
    if (text.length <= PART) return [...common, ...(await look(text))];
    const found: Mark[] = [];
    for (let from = 0; from < text.length; from += PART - SHARED) {
      const marks = await look(text.slice(from, from + PART));
      found.push(...marks.map(({ start, end, name }) => ({ start: start + from, end: end + from, name })));
      await nextTurn();
    }
    return [...common, ...found];
  }
}

/** Loaded when it is first needed: no start waits for it. */
async function load(): Promise<Look> {
  const [{ lintSource }, { rules }, { secretLintProfiler }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
    import('@secretlint/profiler'),
  ]);
  // It keeps an entry of every rule that ran, for as long as the process lives.
  secretLintProfiler.setEnabled(false);
  const config = {
    rules: rules.filter(({ meta }) => meta.id !== DIRECTIVES).map((rule) => ({ id: rule.meta.id, rule })),
  };
  return async (content) => {
    const { messages } = await lintSource({
      source: { filePath: 'step', content, contentType: 'text' },
      options: { config, noPhysicFilePath: true },
    });
    return messages.map(({ range: [start, end], messageId }) => ({ start, end, name: `secret:${nameOf(messageId)}` }));
  };
}

const nameOf = (messageId: string): string => messageId.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
