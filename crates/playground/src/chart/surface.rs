//! What a chart is drawn on: a plotters backend that is sized in device pixels, because plotters' own
//! coordinates are whole numbers.

use plotters::prelude::DrawingBackend;
use plotters_canvas::CanvasBackend;
use web_sys::HtmlCanvasElement;

/// Something plotters can draw on, with its scale.
pub trait ChartSurface {
    /// The plotters backend.
    type Backend: DrawingBackend;

    /// Device pixels for each pixel of the design.
    fn ratio(&self) -> f64;

    /// A backend for one drawing; `None` where there is nothing to draw on.
    fn backend(&mut self) -> Option<Self::Backend>;
}

/// A canvas whose backing store follows its size on the screen.
pub struct CanvasSurface {
    canvas: HtmlCanvasElement,
    ratio: f64,
}

impl CanvasSurface {
    /// Sizes the backing store for the canvas's place on the page, and clears it.
    pub fn new(canvas: HtmlCanvasElement) -> Self {
        let ratio = fit(&canvas);
        Self { canvas, ratio }
    }
}

impl ChartSurface for CanvasSurface {
    type Backend = CanvasBackend;

    fn ratio(&self) -> f64 {
        self.ratio
    }

    fn backend(&mut self) -> Option<CanvasBackend> {
        let drawable = self.canvas.width() > 0 && self.canvas.height() > 0;
        drawable.then(|| CanvasBackend::with_canvas_object(self.canvas.clone()))?
    }
}

/// Gives a canvas as many pixels as the screen has in its place; returns device pixels for each CSS pixel.
/// This clears it.
pub fn fit(canvas: &HtmlCanvasElement) -> f64 {
    let ratio = gloo::utils::window().device_pixel_ratio().clamp(1.0, 4.0);
    let pixels = |length: i32| (f64::from(length.max(0)) * ratio).round() as u32;
    canvas.set_width(pixels(canvas.client_width()));
    canvas.set_height(pixels(canvas.client_height()));
    ratio
}
