import { ALL_SET, TOOL_SET_NAMES } from '../../common/contract/tool-sets.js';
import {
  Choice,
  Documented,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
} from '../../common/fields/fields.js';

const ID = { type: ['string', 'number', 'null'] };

/** A request as JSON-RPC 2.0 has it, for the document: it is read by the dispatcher, from the bytes. */
export class JsonRpcRequest {
  @Choice({ about: 'The version of the protocol.', values: ['2.0'] })
  jsonrpc!: '2.0';

  @Documented({
    about: 'A string, a number or null; absent in a notification, which is not answered.',
    optional: true,
    schema: ID,
  })
  id?: string | number | null;

  @Text({ about: 'The name of a tool, or tools/list, or tools/call.', example: 'query_vault' })
  method!: string;

  @FreeObject({ about: 'The parameters by name, as the input schema of the tool has them.', optional: true })
  params?: object;
}

export class JsonRpcError {
  @Integer({ about: 'One of errors of GET /capabilities, or of JSON-RPC 2.0 itself.', example: -32602 })
  code!: number;

  @Text({ about: 'What was wrong.' })
  message!: string;

  @FreeObject({ about: 'The problem, as in the body of an HTTP error.', optional: true })
  data?: object;
}

/** What a call is answered, for the document. */
export class JsonRpcAnswer {
  @Choice({ about: 'The version of the protocol.', values: ['2.0'] })
  jsonrpc!: '2.0';

  @Documented({ about: 'That of the request; null where it could not be read.', schema: ID })
  id!: string | number | null;

  @FreeObject({
    about:
      'What the method answers. Absent where it failed. With the member replayed: true where it repeats the answer of an earlier call, which had the effect.',
    optional: true,
  })
  result?: object;

  @Nested({ about: 'Why it failed.', type: () => JsonRpcError, optional: true })
  error?: JsonRpcError;
}

export class ToolCapability {
  @Text({ about: 'What it is called by.', example: 'query_vault' })
  name!: string;

  @Text({ about: 'Its name for people.' })
  title!: string;

  @Text({ about: 'What it does, when to use it, and what comes back.' })
  description!: string;

  @FreeObject({ about: 'JSON Schema 2020-12 of its parameters.' })
  inputSchema!: object;

  @FreeObject({ about: 'JSON Schema 2020-12 of its result. Absent where it answers a model, by text.', optional: true })
  outputSchema?: object;

  @FreeObject({ about: 'readOnlyHint, destructiveHint, idempotentHint and openWorldHint, as MCP words them.' })
  annotations!: object;

  @Text({ about: 'SHA-256 over the RFC 8785 form of the members above: what the shield pins.' })
  digest!: string;

  @Text({ about: 'The route of its server it is a name for; the first of routes.', example: 'POST /v1/retrieve' })
  route!: string;

  @TextList({ about: 'All routes; where there are several, the arguments decide.' })
  routes!: string[];

  @Flag({ about: 'Whether it changes something.' })
  mutating!: boolean;

  @Flag({ about: 'Whether it answers without a credential, by POST /rpc/public.' })
  public!: boolean;

  @Choice({
    about: "What goes on to the API: the caller's own credential, none, or the session token among the arguments.",
    values: ['caller', 'none', 'session_token'],
  })
  credential!: 'caller' | 'none' | 'session_token';

  @Choice({
    about: 'Whether a call needs an idempotency key: none, required, or derived from the call where none is sent.',
    values: ['none', 'required', 'derived'],
  })
  idempotency!: 'none' | 'required' | 'derived';
}

export class ErrorCode {
  @Integer({ about: 'The code of a JSON-RPC error.', example: -32006 })
  code!: number;

  @Text({ about: 'What it says.', example: 'rate_limited' })
  name!: string;
}

export class RateWindow {
  @Integer({ about: 'Calls that one principal of a tenant may make in a window; 0: no limit.', min: 0 })
  calls!: number;

  @Integer({ about: 'Length of a window, in seconds. Windows begin on the full minute, UTC.', min: 1 })
  seconds!: number;
}

export class CapabilitiesQuery {
  @Choice({ about: 'The set of tools to list.', values: TOOL_SET_NAMES, optional: true, documentedDefault: ALL_SET })
  tool_set?: string;
}

export class Capabilities {
  @Text({ about: 'The server the definitions belong to, as the shield knows it.', example: 'svc-tools' })
  service!: string;

  @Text({ about: 'Version of the package.' })
  version!: string;

  @Text({ about: 'The protocol of calls.', example: 'JSON-RPC 2.0' })
  protocol!: string;

  @Text({ about: 'Changes when any definition does.' })
  digest!: string;

  @Text({ about: 'What the schemas of the tools are written in.' })
  schemaDialect!: string;

  @TextList({ about: 'Methods in addition to the tools, each of which is a method by its name.' })
  methods!: string[];

  @Nested({ about: 'How many calls a principal may make.', type: () => RateWindow })
  rateWindow!: RateWindow;

  @TextList({ about: 'Where the tools can be called.' })
  transports!: string[];

  @ListOf({ about: 'What errors mean.', type: () => ErrorCode })
  errors!: ErrorCode[];

  @ListOf({ about: 'The tools, in a fixed order.', type: () => ToolCapability })
  tools!: ToolCapability[];
}
