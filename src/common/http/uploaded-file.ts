import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Busboy, type BusboyConfig } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { blake3Digest, type Digest } from '../../evidence/digest.js';
import { invalid, MalformedRequest } from '../problem/common-problems.js';
import { isStorableText } from './headers.js';

const FORM = /^multipart\/form-data\s*(?:;|$)/i;
/** Fields of a form in addition to its file, each far shorter than this. */
const LIMITS = { fields: 32, fieldNameSize: 100, fieldSize: 512 * 1024, files: 2, headerPairs: 64, headerSize: 16_384 };

/** The bytes of a file, with what its sender says of it. In JSON its digest stands for the bytes. */
export class UploadedFile {
  readonly #bytes: Buffer;

  constructor(
    bytes: Buffer,
    /** As it was sent, without folders; null where none was. */
    readonly name: string | null,
    /** As stated, in lower case, with its parameters; null where none was. */
    readonly mediaType: string | null,
    /** BLAKE3 of the bytes. */
    readonly digest: Digest = blake3Digest(bytes),
  ) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** What a key of one effect, and an approval, are bound to. */
  toJSON(): object {
    return { name: this.name, mediaType: this.mediaType, digest: this.digest, bytes: this.#bytes.length };
  }
}

/** The body of a route whose `body` is `file`: the file, and the fields of the form that it came in. */
export interface UploadBody {
  readonly file: UploadedFile;
  readonly [field: string]: unknown;
}

/** The body of a route whose `body` is `file`. */
export const Upload = createParamDecorator((_: unknown, context: ExecutionContext): UploadBody => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  return body as UploadBody;
});

/**
 * Makes a file of a body: the part `file` of a form (RFC 7578), or all of it.
 * @param contentType as the request states it
 * @throws MalformedRequest for a form that is broken off or has no boundary; ValidationFailed naming the part
 */
export function readUpload(body: Buffer, contentType: string | undefined): Promise<UploadBody> | UploadBody {
  if (contentType === undefined || !FORM.test(contentType))
    return { file: new UploadedFile(body, null, contentType?.trim().toLowerCase() || null) };
  return readForm(body, contentType);
}

async function readForm(body: Buffer, contentType: string): Promise<UploadBody> {
  const files: UploadedFile[] = [];
  const fields = new Map<string, string>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const form = makeParser({ headers: { 'content-type': contentType }, limits: LIMITS });
  form.on('field', (name, value, isNameCut, isCut) => {
    const fault = fieldFault(name, value, isNameCut || isCut, fields);
    if (fault) reject(fault);
    else fields.set(name, value);
  });
  form.on('file', (name, stream, fileName, _encoding, mediaType) => {
    const chunks: Buffer[] = [];
    if (name !== 'file') reject(invalid(`body.${name.slice(0, 100)}`, 'is a file; send the file as the part `file`'));
    // One that is not heard would end the process.
    stream.on('error', () => reject(brokenForm()));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      if (![fileName, mediaType].every((said) => isStorableText(said ?? '')))
        reject(invalid('body.file', 'must have a name and a content type without NUL'));
      files.push(new UploadedFile(Buffer.concat(chunks), fileName || null, mediaType?.trim().toLowerCase() || null));
    });
  });
  form.on('fieldsLimit', () => reject(invalid('body', `must have at most ${LIMITS.fields} fields`)));
  form.on('error', () => reject(brokenForm()));
  form.on('finish', resolve);
  form.end(body);
  await promise;
  const [file, another] = files;
  if (!file) throw invalid('body.file', 'is required: send the file as the part `file`, with a file name');
  if (another) throw invalid('body.file', 'must be sent once');
  return { ...Object.fromEntries(fields), file };
}

function makeParser(config: BusboyConfig) {
  try {
    return new Busboy(config);
  } catch {
    throw brokenForm();
  }
}

const brokenForm = (): MalformedRequest =>
  new MalformedRequest({}, 'The form cannot be read: send multipart/form-data with its boundary, to its end');

function fieldFault(name: string, value: string, isCut: boolean, fields: ReadonlyMap<string, string>) {
  const path = `body.${String(name).slice(0, 100)}`;
  if (isCut) return invalid(path, `must be shorter than ${LIMITS.fieldSize} bytes`);
  if (fields.has(name)) return invalid(path, 'must be sent once');
  if (name === 'file') return invalid(path, 'must be a file: give the part a file name');
  return isStorableText(name) && isStorableText(value) ? undefined : invalid(path, 'must be text without NUL');
}
