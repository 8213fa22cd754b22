import {
  AnyJson,
  Choice,
  Documented,
  ExtraMembersAllowed,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
} from '../../../common/fields/fields.js';

const MAX_CALLS = 32;
const MAX_ID = 200;
const FORMS = ['chat', 'responses'] as const;

export class OpenaiToolsQuery {
  @Choice({
    about: 'chat: `tools` of Chat Completions; responses: `tools` of Responses, without the member `function`.',
    values: FORMS,
    default: 'chat',
  })
  form!: (typeof FORMS)[number];
}

export class ToolAccess {
  @Text({ about: 'The tool.' })
  name!: string;

  @Choice({ about: 'Whether any of the scopes is enough, or all are needed.', values: ['any', 'all'] })
  rule!: 'any' | 'all';

  @Documented({ about: 'The scopes of its route.', schema: { type: 'array', items: { type: 'string' } } })
  scopes!: string[];

  @Flag({ about: 'Whether it changes nothing.' })
  read_only!: boolean;
}

export class OpenaiTools {
  @Text({ about: 'The form of this answer and its version.' })
  schema!: string;

  @Documented({
    about: 'What goes into `tools` of a request to a model, as it is.',
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type'],
        properties: { type: { const: 'function' } },
        additionalProperties: true,
      },
    },
  })
  tools!: object[];

  @ListOf({
    about: 'What a credential needs for each: apart from the tools, which models take as they are.',
    type: () => ToolAccess,
  })
  access!: ToolAccess[];
}

@ExtraMembersAllowed()
export class CalledFunction {
  @Text({ about: 'The tool.', min: 1, max: MAX_ID })
  name!: string;

  @AnyJson({ about: 'Its arguments, as JSON in a text, or as the object itself.', default: null })
  arguments?: unknown;
}

/** One call, in whichever form a model wrote it. What else a model writes next to it is not looked at. */
@ExtraMembersAllowed()
export class OpenaiCall {
  @Text({ about: 'The id of the call, of Chat Completions.', optional: true, min: 1, max: MAX_ID })
  id?: string;

  @Text({ about: 'The id of the call, of Responses.', optional: true, min: 1, max: MAX_ID })
  call_id?: string;

  @Text({ about: 'function, or of Responses function_call.', optional: true, max: MAX_ID })
  type?: string;

  @Nested({ about: 'What is called, of Chat Completions.', optional: true, type: () => CalledFunction })
  function?: CalledFunction;

  @Text({ about: 'The tool, where there is no `function`.', optional: true, min: 1, max: MAX_ID })
  name?: string;

  @AnyJson({ about: 'Its arguments, as JSON in a text, or as the object itself.', default: null })
  arguments?: unknown;
}

@ExtraMembersAllowed()
export class InvokeTools extends OpenaiCall {
  @ListOf({
    about: 'The calls of a message of a model, made in this order.',
    optional: true,
    type: () => OpenaiCall,
    min: 1,
    max: MAX_CALLS,
  })
  tool_calls?: OpenaiCall[];
}

export class InvokedTool {
  @Text({ about: 'The id of the call; `call_<place>` where none was sent.' })
  tool_call_id!: string;

  @Text({ about: 'The tool.' })
  name!: string;

  @Flag({ about: 'Whether its content is a problem.' })
  is_error!: boolean;

  @Integer({ about: 'The HTTP status of the problem; null where there is none.', nullable: true })
  status!: number | null;
}

export class InvokedTools {
  @Text({ about: 'The form of this answer and its version.' })
  schema!: string;

  @Documented({
    about:
      'What goes into the next request to the model, as it is: of Chat Completions `{role: "tool", tool_call_id, content}`, of Responses `{type: "function_call_output", call_id, output}`.',
    schema: { type: 'array', items: { type: 'object', additionalProperties: true } },
  })
  messages!: object[];

  @ListOf({ about: 'How each call ended, in the same order.', type: () => InvokedTool })
  results!: InvokedTool[];
}
