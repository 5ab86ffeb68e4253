extension Chart {
  /// The colours of the pictures in the documentation.
  static let style = """
    text{font:17px system-ui,sans-serif;fill:#1f2328}
    .b{font-weight:600}
    .c{text-anchor:middle}
    .e{text-anchor:end}
    .muted{fill:#59636e}
    .card{fill:#fff;stroke:#d1d9e0}
    .green{fill:#dcf7e2;stroke:#1a7f37}
    .amber{fill:#fff0c9;stroke:#9a6700}
    .line{fill:none;stroke:#59636e;stroke-width:2}
    .grid{fill:none;stroke:#d1d9e0}
    .curve{fill:none;stroke-width:2.5}
    circle.curve{fill:#fff}
    .dashed{stroke-dasharray:6 4}
    circle.dashed{stroke-dasharray:none}
    .subpub{stroke:#0969da}
    .loop{stroke:#59636e}
    .center{stroke:#9a6700}
    .asyncs{stroke:#cf222e}
    @media(prefers-color-scheme:dark){
    text{fill:#e6edf3}
    .muted{fill:#9da7b3}
    .card{fill:#14181e;stroke:#353c45}
    .green{fill:#123a20;stroke:#3fb950}
    .amber{fill:#40300a;stroke:#d29922}
    .line,.loop{stroke:#9da7b3}
    .grid{stroke:#353c45}
    circle.curve{fill:#14181e}
    .subpub{stroke:#58a6ff}
    .center{stroke:#d29922}
    .asyncs{stroke:#f85149}
    }
    """
}
