import { Module } from '@nestjs/common';
import { PassagePlacesService } from './passage-places.service.js';
import { ReadablePassagesViews } from './readable-passages.views.js';

/** The reading side of passages: which the tenant may read, and what stands in the place of one. No routes. */
@Module({
  providers: [PassagePlacesService, ReadablePassagesViews],
  exports: [PassagePlacesService, ReadablePassagesViews],
})
export class PassagePlacesModule {}
