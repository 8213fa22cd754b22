import { describeCapabilities } from '../../src/rpc/tools/capabilities.js';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DiscoveryService } from '@nestjs/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import canonicalize from 'canonicalize';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access, RouteRecord } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { TOOL_NAMES, type ToolName } from '../../src/common/contract/tool-names.js';
import { fieldsOf } from '../../src/common/fields/fields.js';
import { jsonSchemaOf } from '../../src/common/fields/json-schema.js';
import { codeOf } from '../../src/rpc/tools/tool-errors.js';
import { DECLARED_TOOLS, makeServiceTools } from '../../src/rpc/tools/service-tools.js';
import type { ToolRoute } from '../../src/common/contract/tool-declaration.js';
import { makeDaemonTools } from '../../src/rpc/tools/daemon-tools.js';
import { SurveyResponseSent } from '../../src/modules/continuity/feedback/surveys.dto.js';
import { QUESTION_KINDS } from '../../src/modules/continuity/feedback/surveys.types.js';
import { startApi, type TestApi } from '../kit/app.js';

let api: TestApi;
let routes: Map<string, RouteRecord>;
beforeAll(async () => {
  api = await startApi();
  routes = new Map(api.app.get(RouteManifest).routes.map((route) => [route.address, route]));
});
afterAll(() => api.close());

const registry = makeServiceTools();
const { tools } = registry;
const declarationOf = (name: string) => DECLARED_TOOLS.find((declared) => declared.name === name)!;
/** All routes that a tool stands for. */
const routesOf = (name: string): ToolRoute[] => {
  const declared = declarationOf(name);
  return [declared, ...(declared.orRoutes ?? [])];
};
const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const namesWhere = (which: (tool: (typeof tools)[number]) => boolean) =>
  tools.filter(which).map(({ definition }) => definition.name);

/** The classes of a handler's parameters, as the handler itself declares them. */
function parametersOf(route: RouteRecord): Partial<ToolRoute> {
  const [className, method] = route.handler.split('.') as [string, string];
  const controllers = api.app.get(DiscoveryService, { strict: false }).getControllers();
  const { metatype } = controllers.find(({ name }) => name === className)!;
  const types = Reflect.getMetadata('design:paramtypes', metatype!.prototype as object, method) as Type[];
  const given = Reflect.getMetadata(ROUTE_ARGS_METADATA, metatype!, method) as Record<string, { index: number }>;
  const at = (kind: RouteParamtypes) => {
    const found = Object.entries(given).find(([key]) => key.startsWith(`${kind}:`));
    return found && types[found[1].index];
  };
  return { path: at(RouteParamtypes.PARAM), query: at(RouteParamtypes.QUERY), body: at(RouteParamtypes.BODY) };
}

describe('the tools', () => {
  it('are those of the specification, each declared once, in its order', () => {
    expect(tools.map(({ definition }) => definition.name)).toEqual([...TOOL_NAMES]);
    expect(DECLARED_TOOLS.map(({ name }) => name).sort()).toEqual([...TOOL_NAMES].sort());
  });

  it('are those of the golden definitions: clients have to trust a difference here again', async () => {
    const shown = {
      digest: registry.digest,
      tools: tools.map(({ definition, digest }) => ({ digest, ...definition })),
    };
    await expect(`${JSON.stringify(shown, null, 2)}\n`).toMatchFileSnapshot('../golden/tools.json');
  });

  it('have digests that anybody can work out', () => {
    const digest = (value: unknown) => `sha256:${createHash('sha256').update(canonicalize(value)!).digest('hex')}`;
    for (const tool of tools) expect(tool.digest).toBe(digest(tool.definition));
    expect(registry.digest).toBe(digest(tools.map((tool) => tool.digest)));
    expect(new Set(tools.map((tool) => tool.digest)).size).toBe(tools.length);
  });

  it('stand for routes of the API, with the very classes of their handlers', () => {
    for (const { definition } of tools) {
      for (const { route, path, query, body } of routesOf(definition.name)) {
        const record = routes.get(route);
        expect(record, `${definition.name}: ${route}`).toBeDefined();
        expect({ name: definition.name, path, query, body }).toEqual({
          name: definition.name,
          ...parametersOf(record!),
        });
        expect(declarationOf(definition.name).answer, definition.name).toBe(record!.reply.type);
      }
    }
  });

  it('change something exactly where their route does', () => {
    for (const tool of tools) {
      const { name } = tool.definition;
      for (const { route } of routesOf(name)) {
        // A registration has no caller whose key could be kept; it writes all the same.
        const writes = routes.get(route)!.idempotent || name === 'register_agent';
        expect([name, tool.isRead]).toEqual([name, !writes]);
        expect([name, tool.idempotency !== 'none']).toEqual([name, routes.get(route)!.idempotent]);
      }
    }
    expect(namesWhere(({ idempotency }) => idempotency === 'derived')).toEqual([
      ...['proof_document', 'watch_answer', 'unwatch_answer'],
    ]);
    for (const { definition, idempotency, restsOn } of tools)
      expect([definition.name, restsOn !== undefined]).toEqual([definition.name, idempotency === 'derived']);
    expect(namesWhere(({ idempotency }) => idempotency === 'required').sort()).toEqual([
      'convert_credits_to_discount',
      'declare_revenue_willingness',
      'purchase_bundle',
      'respond_to_survey',
      'submit_feature_request',
      'submit_feedback_survey',
      'tip_platform',
      'vote_feature_request',
    ]);
  });

  it('pass on the credential that their route asks for', () => {
    const needed: Partial<Record<Access['kind'], string>> = { anyone: 'none', agent: 'session_token', seats: 'caller' };
    for (const { definition, credential } of tools)
      for (const { route } of routesOf(definition.name))
        expect([route, credential]).toEqual([route, needed[routes.get(route)!.access.kind]]);
    expect(namesWhere(({ isPublic }) => isPublic)).toEqual(['register_agent', 'request_sponsor']);
  });

  it('say of themselves what programs decide by', () => {
    for (const { definition, isRead } of tools) expect(definition.annotations.readOnlyHint).toBe(isRead);
    expect(namesWhere(({ definition }) => definition.annotations.destructiveHint)).toEqual([
      'convert_credits_to_discount',
      'tip_platform',
      'purchase_bundle',
      'unwatch_answer',
    ]);
    expect(namesWhere(({ definition }) => !definition.annotations.idempotentHint)).toEqual(['register_agent']);
    expect(namesWhere(({ spends }) => spends !== undefined)).toEqual(['convert_credits_to_discount', 'tip_platform']);
  });
});

describe('their parameters', () => {
  it('are all members of the path, the query and the body', () => {
    for (const { definition, members } of tools) {
      const { single, fixed = {} } = declarationOf(definition.name);
      const classes = routesOf(definition.name).flatMap(({ path, query, body }) => [path, query, body]);
      const all = [...classes, single?.type].flatMap((type) => (type ? fieldsOf(type) : []));
      const asked = all.map(({ name }) => name).filter((name) => !(name in fixed) && name !== single?.member);
      const taken = members.map(({ member }) => member);
      const key = 'idempotency_key' in definition.inputSchema.properties ? ['idempotencyKey'] : [];
      expect([definition.name, asked.filter((name) => ![...taken, ...key].includes(name))]).toEqual([
        definition.name,
        [],
      ]);
    }
  });

  it('are written in snake_case, described each, and required where the API requires them', () => {
    for (const { definition, members, exactlyOne, defaults } of tools) {
      const { properties, required = [] } = definition.inputSchema;
      for (const [name, schema] of Object.entries(properties)) {
        expect(name).toMatch(SNAKE_CASE);
        expect(String(schema.description).length, `${definition.name}.${name}`).toBeGreaterThan(8);
      }
      const needed = members.filter(
        ({ isRequired, name }) => isRequired && !exactlyOne.includes(name) && !(name in defaults),
      );
      const session = definition.name === 'request_sponsor' ? ['session_token'] : [];
      expect([...required]).toEqual([...needed.map(({ name }) => name), ...session]);
    }
  });

  it('have members in snake_case at every depth', () => {
    let nested = 0;
    const spelledOtherwise = (schema: any, place: string): string[] => {
      const members = Object.entries(schema?.properties ?? {});
      nested += members.length;
      const inner = [schema?.items, ...[schema?.anyOf ?? []].flat()].filter(Boolean);
      return [
        ...[...members.map(([name]) => name), ...(schema?.required ?? [])]
          .filter((name) => !SNAKE_CASE.test(name))
          .map((name) => `${place}.${name}`),
        ...members.flatMap(([name, one]) => spelledOtherwise(one, `${place}.${name}`)),
        ...inner.flatMap((one) => spelledOtherwise(one, place)),
      ];
    };
    for (const { definition } of [...tools, ...makeDaemonTools().tools])
      expect(spelledOtherwise(definition.inputSchema, definition.name)).toEqual([]);
    expect(nested).toBeGreaterThan(200);
    // The walk reaches members of objects in lists: what the API spells otherwise is found as such.
    expect(spelledOtherwise(jsonSchemaOf(SurveyResponseSent, 'component'), 'survey')).toContain(
      'survey.answers.questionId',
    );
  });

  it('name the key and the approval of a call where there can be one', () => {
    const having = (member: string) => namesWhere(({ definition }) => member in definition.inputSchema.properties);
    expect(having('idempotency_key')).toEqual(namesWhere(({ idempotency }) => idempotency !== 'none'));
    expect(having('shield_approval_token')).toEqual(namesWhere(({ isPublic }) => !isPublic));
    expect(having('session_token')).toEqual(['request_sponsor']);
  });
});

describe('their schemas', () => {
  it('are valid JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: true, validateFormats: false });
    for (const { definition } of tools) {
      for (const schema of [definition.inputSchema, definition.outputSchema]) {
        expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
        expect(() => ajv.compile(schema)).not.toThrow();
      }
    }
  });

  it('of answers are such that every client can take them; client-schemas.spec.ts has the rules of arguments', () => {
    for (const { definition } of tools) {
      const schema = definition.outputSchema;
      expect(schema.type).toBe('object');
      expect(Object.keys(schema)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(any|one|all)Of$/)]));
      expect(JSON.stringify(schema)).not.toContain('$ref');
      expect(definition.inputSchema.additionalProperties).toBe(definition.name === 'proof_document');
    }
  });
});

describe('their descriptions', () => {
  /** Every name that may stand in one: tools, parameters, members of answers, values. */
  const known = new Set<string>([...TOOL_NAMES, ...QUESTION_KINDS, 'approvalRequestId', 'retryAfterSec', 'svc_self_']);
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties, enum: values } = node as { properties?: object; enum?: unknown[] };
    for (const name of [...Object.keys(properties ?? {}), ...(values ?? [])]) known.add(String(name));
    Object.values(node).forEach(collect);
  };
  tools.forEach(({ definition }) => collect(definition));

  it('are long enough to act on, and none too long to be read', () => {
    for (const { definition } of tools) {
      expect(definition.description.split(/[.;:] /).length, definition.name).toBeGreaterThanOrEqual(3);
      expect(definition.description.length, definition.name).toBeGreaterThan(200);
      expect(definition.description.length, definition.name).toBeLessThan(1100);
      expect(definition.title.length).toBeGreaterThan(8);
    }
    expect(new Set(tools.map(({ definition }) => definition.title)).size).toBe(tools.length);
  });

  it('name no tool, parameter or member that there is not', () => {
    for (const { definition } of tools) {
      const inputs = Object.values(definition.inputSchema.properties).map(({ description }) => String(description));
      const texts = [definition.description, ...inputs].join(' ');
      const names = texts.match(/\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z]\w*/g) ?? [];
      const strange = names.filter((name) => !known.has(name));
      expect([definition.name, strange]).toEqual([definition.name, []]);
    }
  });

  it('name errors by their code, and only existing problems', () => {
    let checked = 0;
    const all = tools.flatMap(({ definition }) => routesOf(definition.name));
    const problems = all.flatMap(({ route }) => routes.get(route)!.problems);
    for (const { definition } of tools) {
      for (const [, type, code] of definition.description.matchAll(/\b([A-Z]\w+) \((-\d+)\)/g)) {
        const found = problems.find((one) => one.type === type);
        expect([definition.name, type, found && codeOf(found.status, type)]).toEqual([
          definition.name,
          type,
          Number(code),
        ]);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(10);
  });
});

describe('the registry', () => {
  const root = resolve(import.meta.dirname, '../..');
  /** The files of ours that a file loads when it runs: types alone load nothing. */
  const loads = (file: string): string[] => {
    const source = readFileSync(join(root, file), 'utf8');
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 },
    });
    return [...outputText.matchAll(/(?:from|import) '(\.[^']+)\.js'/g)].map(([, path]) =>
      relative(root, resolve(root, dirname(file), `${path}.ts`)),
    );
  };

  it('is made of data: it loads no service, store, controller or Nest module', () => {
    const declarations = globSync('src/modules/*/*/*.tools.ts', { cwd: root });
    expect(declarations).toHaveLength(26);
    const seen = new Set<string>(declarations);
    for (const file of seen) loads(file).forEach((target) => seen.add(target));
    const heavy = [...seen].filter((file) => !/\.(tools|dto|types|rules|problems)\.ts$/.test(file));
    expect(heavy.sort()).toEqual([
      'src/common/contract/tool-declaration.ts',
      'src/common/fields/byte-fields.ts',
      'src/common/fields/fields.ts',
      'src/common/fields/passport.ts',
      'src/common/fields/secret-bytes.ts',
      'src/common/fields/shared-members.ts',
      'src/common/fields/stored-text.ts',
      'src/common/keys/tenant-name.ts',
      'src/common/tokens/tokenizer.ts',
      'src/evidence/base64.ts',
      'src/evidence/digest-forms.ts',
      'src/evidence/digest.ts',
      'src/evidence/exact-json.ts',
      'src/evidence/sha256.ts',
    ]);
  });

  it('says what can be called, and how', () => {
    const shown = describeCapabilities(registry.tools, {
      version: '1.2.3',
      callsPerMinute: 120,
      natsSubject: 'svc.tools.rpc',
    });
    expect(shown).toMatchObject({
      service: 'svc-tools',
      version: '1.2.3',
      protocol: 'JSON-RPC 2.0',
      digest: registry.digest,
      rateWindow: { calls: 120, seconds: 60 },
    });
    expect(shown.transports).toContain('nats svc.tools.rpc');
    expect(describeCapabilities(registry.tools, { version: '1', callsPerMinute: 0 }).transports.join()).not.toContain(
      'nats',
    );
    expect(shown.errors).toContainEqual({ code: -32002, name: 'approval_required' });
    const byName = new Map(shown.tools.map((one) => [one.name, one]));
    const capability = (name: ToolName) => byName.get(name);
    expect(capability('query_vault')).toMatchObject({
      route: 'POST /v1/retrieve',
      mutating: false,
      public: false,
      idempotency: 'none',
      digest: registry.find('query_vault')!.digest,
    });
    expect(capability('get_proof_receipt')?.routes).toEqual([
      'GET /v1/proof/jobs/:id/receipt',
      'GET /v1/proof/answers/:answerId/receipt',
    ]);
    expect(capability('register_agent')).toMatchObject({ mutating: true, public: true, credential: 'none' });
  });
});
