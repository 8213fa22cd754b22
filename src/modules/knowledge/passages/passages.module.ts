import { Module } from '@nestjs/common';
import { AnswersModule } from '../citations/answers.module.js';
import { PassagePlacesModule } from './passage-places.module.js';
import { PassagesController } from './passages.controller.js';
import { PassagesService } from './passages.service.js';

/** One passage by its id, with those around it and what has become of it. */
@Module({
  imports: [AnswersModule, PassagePlacesModule],
  controllers: [PassagesController],
  providers: [PassagesService],
})
export class PassagesModule {}
