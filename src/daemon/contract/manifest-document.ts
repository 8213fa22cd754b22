import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';

/** The route manifest as an OpenAPI document: made of the declarations once all rooms are loaded, and served from here. */
@Injectable()
export class ManifestDocument {
  private made: OpenAPIObject | undefined;

  set(document: OpenAPIObject): void {
    this.made = document;
  }

  get document(): OpenAPIObject {
    if (!this.made) throw new Error('the manifest is not made yet');
    return this.made;
  }
}
