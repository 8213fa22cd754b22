// What the page at /docs runs in the browser. The text of each function is sent to the page: none may name anything
// outside of itself.

/** A request as Swagger UI is about to send it. */
interface PageRequest {
  headers: Record<string, string>;
  body?: unknown;
}

/**
 * Puts another idempotency key in the place of the prefilled one (`NEW_KEY` of example-values.ts), in the body too, and
 * leaves what somebody typed.
 */
export function replaceIdempotencyKey(request: PageRequest): PageRequest {
  for (const name of Object.keys(request.headers)) {
    const prefilled = 'new-at-each-request';
    if (name.toLowerCase() !== 'x-idempotency-key' || request.headers[name] !== prefilled) continue;
    // Also where the page came without TLS, which randomUUID asks for.
    const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
    const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    request.headers[name] = key;
    if (typeof request.body === 'string') request.body = request.body.replace(`"${prefilled}"`, `"${key}"`);
  }
  return request;
}

/** An operation as Swagger UI sorts it. */
interface PageOperation {
  get(name: 'path' | 'method'): string;
}

/**
 * What removes something comes last in its group, parts before the whole; everything else stays in the order of the
 * document.
 */
export function byEffect(a: PageOperation, b: PageOperation): number {
  const depthOfRemoval = (one: PageOperation) =>
    one.get('method') === 'delete' ? one.get('path').split('/').length : 0;
  const [ofA, ofB] = [depthOfRemoval(a), depthOfRemoval(b)];
  return ofA > 0 && ofB > 0 ? ofB - ofA : ofA - ofB;
}

type Operations = Record<
  string,
  Record<
    string,
    {
      operationId: string;
      requestBody?: { content: Record<string, { example?: unknown }> };
      responses: Record<string, { links?: Record<string, PageLink> }>;
    }
  >
>;
interface PageLink {
  operationId: string;
  parameters?: Record<string, string>;
  'x-body'?: Record<string, string>;
}

/** The parts of Swagger UI that a plugin reaches. */
interface PageSystem {
  specSelectors: { specJson(): { toJS(): { paths: Operations } } };
  specActions: {
    changeParam(address: [path: string, verb: string], name: string, place: string, value: unknown, xml: boolean): void;
  };
  oas3Actions: { setRequestBodyValue(change: { value: string; pathMethod: [path: string, verb: string] }): void };
}
type SetResponse = (path: string, verb: string, answer: { status?: number; text?: string }) => unknown;

/** A plugin of Swagger UI: once an answer has come, its links fill the ids in it into the other operations. */
export function followLinks() {
  let paths: Operations | undefined;
  const at = (body: unknown, expression: string): unknown =>
    expression
      .replace('$response.body#/', '')
      .split('/')
      .reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], body);
  const placeOf = (name: string): [name: string, place: string] =>
    name.startsWith('query.') ? [name.slice('query.'.length), 'query'] : [name, 'path'];
  const put = (body: unknown, pointer: string, value: unknown): void => {
    const names = pointer.split('/');
    const last = names.pop() as string;
    const holder = names.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], body);
    (holder as Record<string, unknown>)[last] = value;
  };
  const fill = (link: PageLink, body: unknown, system: PageSystem): void => {
    const operations = Object.entries(paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item).map(([verb, operation]) => ({ address: [path, verb] as [string, string], operation })),
    );
    const target = operations.find(({ operation }) => operation.operationId === link.operationId);
    if (!target) return;
    const { address, operation } = target;
    const given = (expressions: Record<string, string> = {}) =>
      Object.entries(expressions)
        .map(([name, one]) => [name, at(body, one)] as const)
        .filter(([, value]) => value !== undefined && value !== null);
    for (const [name, value] of given(link.parameters))
      system.specActions.changeParam(address, ...placeOf(name), value, false);
    const members = given(link['x-body']);
    const sent = Object.values(operation.requestBody?.content ?? {})[0]?.example;
    for (const [pointer, value] of members) put(sent, pointer, value);
    if (members.length > 0)
      system.oas3Actions.setRequestBodyValue({ value: JSON.stringify(sent, null, 2), pathMethod: address });
  };
  const setResponse =
    (original: SetResponse, system: PageSystem): SetResponse =>
    (path, verb, answer) => {
      try {
        paths ??= system.specSelectors.specJson().toJS().paths;
        const links = Object.values(paths[path]?.[verb]?.responses[String(answer.status)]?.links ?? {});
        const body = (links.length > 0 ? JSON.parse(answer.text ?? 'null') : null) as unknown;
        for (const link of links) fill(link, body, system);
      } catch {
        // An answer that is no JSON fills nothing in.
      }
      return original(path, verb, answer);
    };
  return { statePlugins: { spec: { wrapActions: { setResponse } } } };
}
