import { Module } from '@nestjs/common';
import { AcceptanceModule } from './acceptance.module.js';
import { BindingsService } from './bindings.service.js';
import { ContentService } from './content.service.js';
import { ContentViews } from './content.views.js';

const CONTENT = [BindingsService, ContentService];

/**
 * Texts and the receipts of their ingest: whether what is stored is what came in, and the paths that show it to others,
 * for proofs, replays and exports.
 */
@Module({ imports: [AcceptanceModule], providers: [...CONTENT, ContentViews], exports: CONTENT })
export class ContentModule {}
