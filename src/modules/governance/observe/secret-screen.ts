import { Injectable } from '@nestjs/common';
import type { Mark } from './personal-data.rules.js';

/** Comments of this rule switch the others off: a text must not say what is looked for in it. */
const DIRECTIVES = '@secretlint/secretlint-rule-filter-comments';

/** What has no issuer whose form the library knows. */
const COMMON: readonly [string, RegExp][] = [
  ['private-key', /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g],
  ['jwt', /\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g],
  ['bearer', /(?<=\b(?:bearer|basic)\s{1,4})[\w.~+/-]{16,}=*/gi],
  ['assigned', /(?<=\b(?:password|passwd|pwd|secret|token|api[_-]?key)["']?\s{0,4}[:=]\s{0,4}["']?)[^\s"',;[\]]{6,}/gi],
];

type Look = (text: string) => Promise<Mark[]>;

/** Finds credentials in texts, by the rules of secretlint. */
@Injectable()
export class SecretScreen {
  private look: Promise<Look> | undefined;

  /** @param text of a few KiB: it is looked at in one go */
  async find(text: string): Promise<Mark[]> {
    const common = COMMON.flatMap(([name, form]) =>
      [...text.matchAll(form)].map(({ 0: { length }, index }) => ({
        ...{ start: index, end: index + length, name: `secret:${name}` },
      })),
    );
    this.look ??= load();
    return [...common, ...(await (await this.look)(text))];
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
