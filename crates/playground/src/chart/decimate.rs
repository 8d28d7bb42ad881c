//! Thins a line to what a given width can show: at most four points for each pixel column.

/// Keeps of the points in each column the first, the lowest, the highest and the last, in their order.
/// `end` is the right end of the axis and `columns` its width in pixels. Values that are no numbers are
/// left out.
pub fn decimate(points: &[(f64, f64)], end: f64, columns: usize) -> Vec<(f64, f64)> {
    let finite = points
        .iter()
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite());
    if points.len() <= columns * 4 || end <= 0.0 || columns == 0 {
        return finite.collect();
    }
    let column = |x: f64| (x / end * columns as f64).floor() as i64;
    let mut kept = Vec::with_capacity(columns * 4);
    let mut bundle: Vec<(f64, f64)> = Vec::new();
    for point in finite {
        if bundle
            .first()
            .is_some_and(|first| column(first.0) != column(point.0))
        {
            keep(&bundle, &mut kept);
            bundle.clear();
        }
        bundle.push(point);
    }
    keep(&bundle, &mut kept);
    kept
}

fn keep(bundle: &[(f64, f64)], kept: &mut Vec<(f64, f64)>) {
    let by_value = |a: &usize, b: &usize| bundle[*a].1.total_cmp(&bundle[*b].1);
    let places = 0..bundle.len();
    let (Some(low), Some(high)) = (places.clone().min_by(by_value), places.max_by(by_value)) else {
        return;
    };
    let mut chosen = [0, low, high, bundle.len() - 1];
    chosen.sort_unstable();
    let mut last = None;
    for place in chosen {
        if last != Some(place) {
            kept.push(bundle[place]);
        }
        last = Some(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_stay_whole() {
        let points = [(0.0, 1.0), (1.0, 2.0)];
        assert_eq!(decimate(&points, 1.0, 300), points);
    }

    #[test]
    fn spikes_survive() {
        let mut points: Vec<_> = (0..6_000).map(|n| (f64::from(n) / 100.0, 1.0)).collect();
        points[3_333].1 = 99.0;
        points[4_444].1 = -5.0;
        let kept = decimate(&points, 60.0, 300);
        assert!(kept.contains(&points[3_333]) && kept.contains(&points[4_444]));
    }

    // proptest draws from the system, which a browser's wasm does not have.
    #[cfg(not(target_family = "wasm"))]
    proptest::proptest! {
        #[test]
        fn keeps_order_ends_and_bounds(values in proptest::collection::vec(-1e6..1e6_f64, 1..4_000), columns in 1..400_usize) {
            let points: Vec<_> = values.iter().enumerate().map(|(n, value)| (n as f64, *value)).collect();
            let kept = decimate(&points, points.len() as f64, columns);
            proptest::prop_assert!(kept.len() <= columns * 4 + 4);
            proptest::prop_assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
            proptest::prop_assert_eq!(kept.first(), points.first());
            proptest::prop_assert_eq!(kept.last(), points.last());
            let most = |points: &[(f64, f64)]| points.iter().map(|point| point.1).fold(f64::MIN, f64::max);
            proptest::prop_assert!(most(&kept) >= most(&points));
        }
    }
}
