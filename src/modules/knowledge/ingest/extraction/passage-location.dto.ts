import { Integer, Nested, Text } from '../../../../common/fields/fields.js';

class FileLocation {
  @Integer({ about: 'PDF: the page, from 1.', optional: true, min: 1 })
  page?: number;

  @Text({ about: 'XLSX: the sheet.', optional: true })
  sheet?: string;

  @Text({ about: 'XLSX, CSV, TSV: the cells, as spreadsheets write a range.', optional: true, example: 'A2:C9' })
  cells?: string;

  @Integer({ about: 'PPTX: the slide, from 1.', optional: true, min: 1 })
  slide?: number;

  @Text({
    about:
      "EPUB: the chapter's file. JSON: a JSON pointer to a member of the top level. E-mail: headers, body or attachments.",
    optional: true,
  })
  part?: string;
}

/** Where in its file a passage stands. */
export class PassageLocation extends FileLocation {
  @Nested({ about: 'Where it ends, when that is another place.', type: () => FileLocation, optional: true })
  to?: FileLocation;
}
