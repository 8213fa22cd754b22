import { HEX_DIGEST } from '../../../evidence/digest-forms.js';
import { Base64 } from '../../../common/fields/byte-fields.js';
import {
  AnyJson,
  Choice,
  DateTime,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
} from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { EXTENSION_KINDS, MAX_INPUT_BYTES, type ExtensionKind } from './extensions.types.js';

const optional = true;
const nullable = true;

const ExtensionId = (about: string) =>
  Text({ about, max: 64, pattern: /^[a-z0-9][a-z0-9._-]{0,63}$/, example: 'word-count' });
const Digest = (about: string, more: { optional?: true } = {}) =>
  Text({ about, pattern: HEX_DIGEST, example: 'ab'.repeat(32), ...more });

export class ExtensionPath {
  @ExtensionId('The extension.')
  id!: string;
}

export class ExtensionQuery extends PageQuery {
  @Choice({ about: 'Only those of this kind.', values: EXTENSION_KINDS, optional })
  kind?: ExtensionKind;
}

export class RegisterExtension {
  @ExtensionId('What it is called by; lower case.')
  extension_id!: string;

  @Text({ about: 'What people read; the id when absent.', optional, min: 1, max: 200 })
  display_name?: string;

  @Text({ about: 'What it is for.', optional, min: 1, max: 2_000 })
  description?: string;

  @Choice({
    about: '`wasm`: a WebAssembly module of the interface in docs/extensions.md; `tool`: a tool of this server.',
    values: EXTENSION_KINDS,
  })
  kind!: ExtensionKind;

  @Base64({ about: 'Of the kind wasm: the module, at most 1 MiB.', optional, min: 1 })
  module_base64?: string;

  @Digest('SHA-256 of the module in hexadecimal; where it is another the module is refused.', { optional })
  digest?: string;

  @Text({ about: 'Of the kind tool: its name, as tools of the MCP listener are called.', optional, min: 1, max: 128 })
  tool?: string;

  @FreeObject({ about: 'Of the kind tool: arguments of every call, which its input cannot replace.', optional })
  arguments?: Record<string, unknown>;
}

export class EnableExtension {
  @Digest('The digest of what is enabled: whoever enables it has looked at that, and at nothing else.')
  digest!: string;
}

export class Extension {
  @Text({ about: 'What it is called by.' })
  extension_id!: string;

  @Text({ about: 'What people read.' })
  display_name!: string;

  @Text({ about: 'What it is for.', nullable })
  description!: string | null;

  @Choice({ about: 'What it is.', values: EXTENSION_KINDS })
  kind!: ExtensionKind;

  @Text({ about: 'SHA-256 in hexadecimal: of the module, or of {"arguments", "tool"} in the form of RFC 8785.' })
  digest!: string;

  @Integer({ about: 'Bytes of the module.', nullable })
  module_bytes!: number | null;

  @Text({ about: 'The tool.', nullable })
  tool!: string | null;

  @FreeObject({ about: 'Its arguments.', nullable })
  arguments!: Record<string, unknown> | null;

  @Flag({ about: 'Whether it may be called.' })
  enabled!: boolean;

  @Text({ about: 'The principal that registered it.' })
  registered_by!: string;

  @DateTime({ about: 'When.' })
  registered_at!: string;

  @DateTime({ about: 'Since when it may be called; null while it may not.', nullable })
  enabled_at!: string | null;

  @Text({ about: 'The principal that enabled or disabled it last.', nullable })
  changed_by!: string | null;
}

export class ExtensionReply {
  @Nested({ about: 'The extension.', type: () => Extension })
  extension!: Extension;
}

export class ChangedExtension extends ExtensionReply {
  @Text({ about: 'The receipt of the change; null where nothing changed.', nullable })
  receipt_id!: string | null;
}

export class DeletedExtension {
  @Flag({ about: 'true.' })
  deleted!: true;

  @Text({ about: 'The receipt.' })
  receipt_id!: string;
}

export class ExtensionList {
  @ListOf({ about: 'The extensions, by id.', type: () => Extension })
  extensions!: Extension[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class DispatchExtension {
  @AnyJson({
    about: 'What goes in, as JSON: a module gets its text in UTF-8. Of the kind tool: further arguments, an object.',
    optional,
    maxBytes: MAX_INPUT_BYTES,
  })
  input?: unknown;

  @Base64({ about: 'In its place, of the kind wasm: bytes, at most 256 KiB.', optional })
  input_base64?: string;

  @Digest('Called only where this is its digest.', { optional })
  digest?: string;
}

export class ExtensionResult {
  @Text({ about: 'What was called.' })
  extension_id!: string;

  @Text({ about: 'Its digest.' })
  digest!: string;

  @AnyJson({ about: 'What came out, where that is JSON of at most 64 levels; else null.' })
  output!: unknown;

  @Text({ about: 'What came out, byte for byte, in base64.' })
  output_base64!: string;

  @Text({ about: 'SHA-256 over salt and input, as the receipt has it.' })
  input_digest!: string;

  @Text({ about: 'The same over salt and output.' })
  output_digest!: string;

  @Text({ about: '16 bytes in hexadecimal. The server does not keep them: with them the digests prove what went by.' })
  salt!: string;

  @TextList({ about: 'What the module logged.' })
  logs!: string[];

  @Integer({ about: 'How long it took, in milliseconds.', min: 0 })
  duration_ms!: number;

  @Text({ about: 'The receipt of the call.' })
  receipt_id!: string;
}
