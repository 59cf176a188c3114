// What a request is refused with: unsupported, or protocol. Whatever else is thrown was raised by the candidate.
export class Refused extends Error {
  constructor(kind, text) {
    super(text);
    this.kind = kind;
  }

  static said(error) {
    if (error instanceof Refused) return { kind: error.kind, text: error.message };
    return { kind: "raised", text: String(error) };
  }
}
