import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASKED_TENANT_NAME } from '../../../src/common/keys/tenant-name.js';
import { caller, send, startApi, type Answer, type TestApi } from '../../kit/app.js';

let api: TestApi;
let page: Answer;
beforeAll(async () => {
  api = await startApi();
  page = await send(api.url, 'GET', '/frontdoor/request-access');
});
afterAll(() => api.close());

interface Control {
  kind: string;
  attributes: Record<string, string>;
  options: string[];
}

/** The controls of the form by name; the radios of one name are one control with their values as options. */
function controlsOf(html: string): Map<string, Control> {
  const form = /<form[^]*<\/form>/.exec(html)?.[0] ?? '';
  const found = new Map<string, Control>();
  for (const [, kind = '', inside = '', content = ''] of form.matchAll(
    /<(input|textarea|select)\b([^>]*)>(?:([^]*?)<\/\1>)?/g,
  )) {
    const pairs = [...inside.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name, value ?? '']);
    const attributes = Object.fromEntries(pairs);
    const chosen = [...content.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value!);
    const options = attributes.type === 'radio' ? [attributes.value] : chosen;
    const before = found.get(attributes.name)?.options ?? [];
    found.set(attributes.name, { kind, attributes, options: [...before, ...options] });
  }
  return found;
}

const digestOf = (tag: string) => {
  const [, text] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(page.text)!;
  return `'sha256-${createHash('sha256').update(text!, 'utf8').digest('base64')}'`;
};

describe('the page where access is asked for', () => {
  it('is one file under a policy that allows its own style and script and nothing else', () => {
    const header = (name: string) => page.headers.get(name);
    expect([page.status, header('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(header('content-security-policy')!.split('; ').sort()).toEqual(
      [
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        'img-src data:',
        `script-src ${digestOf('script')}`,
        `style-src ${digestOf('style')}`,
      ].sort(),
    );
    expect(['referrer-policy', 'x-content-type-options', 'cache-control'].map(header)).toEqual([
      'no-referrer',
      'nosniff',
      'no-cache',
    ]);
    // No attribute loads anything, and none holds script or style, which the policy would refuse.
    expect(page.text).not.toMatch(/\s(src|href|action)="(?!data:)|\s(on\w+|style)="|url\(|@import/);
    expect(page.text.match(/<(script|style|link)\b/g)).toHaveLength(3);
  });

  it('asks for the members of the request, each once, within the limits of each', async () => {
    const { body } = await send(api.url, 'GET', '/openapi.json');
    const schema = body.components.schemas.FrontdoorAccessRequestCreate;
    const controls = controlsOf(page.text);
    expect([...controls.keys()].sort()).toEqual(Object.keys(schema.properties).sort());
    for (const [name, { maxLength, enum: values = [], format, type }] of Object.entries<any>(schema.properties)) {
      const { attributes, options } = controls.get(name)!;
      expect([name, attributes.maxlength, options.sort(), 'required' in attributes]).toEqual([
        name,
        maxLength?.toString(),
        [...values].sort(),
        schema.required.includes(name),
      ]);
      expect([name, attributes.type === 'email', attributes.type === 'checkbox']).toEqual([
        name,
        format === 'email',
        type === 'boolean',
      ]);
    }
  });

  it('says of every control what it is, and has a place for what is wrong with it', () => {
    const ids = [...page.text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const referred = [...page.text.matchAll(/\s(?:for|aria-describedby)="([^"]+)"/g)].flatMap(([, to]) =>
      to!.split(' '),
    );
    expect(referred.filter((id) => !ids.includes(id))).toEqual([]);
    for (const [name, { attributes }] of controlsOf(page.text)) {
      expect(ids).toContain(`${name}-wrong`);
      if (attributes.type === 'radio') expect(page.text).toMatch(/<fieldset[^>]*>\s*<legend>[^<]+<\/legend>/);
      else expect(page.text).toMatch(new RegExp(`<label for="${name}">\\s*(<input[^>]*>)?[^<\\s]`));
    }
  });

  it('accepts valid tenant ids alone', () => {
    const { pattern, maxlength } = controlsOf(page.text).get('tenantId')!.attributes;
    // As browsers read the attribute: the whole value, with the flag v.
    const ofPage = new RegExp(`^(?:${pattern})$`, 'v');
    const names = [
      'a',
      '7',
      'Umbrella.EU',
      'a_b:c@d-e',
      '-a',
      '.a',
      '_a',
      ' a',
      'a b',
      'a/b',
      'ä',
      'a\n',
      'x'.repeat(121),
    ];
    const letIn = names.filter((name) => ofPage.test(name) && name.length <= Number(maxlength));
    expect(letIn).toEqual(names.filter((name) => ASKED_TENANT_NAME.test(name)));
    expect(letIn).toHaveLength(4);
  });

  it('is where agents and tenants without credits are sent, under the address of the server that is known outside', async () => {
    const free = await api.addTenant('free', 'free');
    const ON = { FEATURE_SELF_SIGNUP: '1' };
    const inside = await startApi({ database: api.database, env: ON });
    const env = { ...ON, SVC_PUBLIC_URL: 'https://svc.example.org/api/' };
    const outside = await startApi({ database: api.database, env });
    try {
      for (const [{ url }, base] of [
        [inside, inside.url],
        [outside, 'https://svc.example.org/api'],
      ] as const) {
        const agent = await send(url, 'POST', '/v1/agents/register', { agentFramework: 'any' });
        const tenant = await caller(url, 'free', free.apiKey)('POST', '/v1/economy/convert', {
          agentId: 'a',
          credits: 1000,
        });
        expect([agent.status, tenant.body.type]).toEqual([201, 'NoSubscription']);
        const page = `${base}/frontdoor/request-access`;
        expect([agent.body.upgradeUrl, tenant.body.upgradeUrl]).toEqual([page, page]);
      }
    } finally {
      await Promise.all([inside.close(), outside.close()]);
    }
  });
});
