import type { FastifyReply } from 'fastify';
import { ok } from '../../../common/contract/contract.js';
import { ExportPresentation } from './export-presentation.dto.js';
import { ExportBody } from './exports.dto.js';
import { EXPORT_TYPES, type SentExport } from './exports.types.js';

/** What a route that answers an export declares. */
export const EXPORT_REPLY = { reply: ok(ExportBody), alsoAs: [EXPORT_TYPES.cbor, EXPORT_TYPES.zip] } as const;

/** The query of such a route in another module. */
export class PresentedExport extends ExportPresentation {}

/** Sends an export as a file. @returns its bytes */
export function attach(reply: FastifyReply, { contentType, fileName, bytes }: SentExport): Uint8Array {
  void reply.header('content-type', contentType).header('content-disposition', `attachment; filename="${fileName}"`);
  return bytes;
}
