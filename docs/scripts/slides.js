// Presents the slides of this page. Its address may ask for more, as in ?print-pdf.
"use strict";
Reveal.initialize({ hash: true, slideNumber: "c/t", transition: "none", controls: false, plugins: [RevealNotes] });
